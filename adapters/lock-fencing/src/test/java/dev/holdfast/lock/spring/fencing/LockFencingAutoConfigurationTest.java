package dev.holdfast.lock.spring.fencing;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.jdbc.core.mapping.JdbcMappingContext;

class LockFencingAutoConfigurationTest {

    private final ApplicationContextRunner application =
            new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockFencingAutoConfiguration.class));

    @Test
    void aggregatesAreFencedWhereSpringDataJdbcIsPresent() {
        application.run(context -> assertThat(context).hasSingleBean(JdbcFencing.class));
    }

    @Test
    void withoutSpringDataJdbcThereIsNothingToFence() {
        application
                .withClassLoader(new FilteredClassLoader(JdbcMappingContext.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(LockFencingAutoConfiguration.class));
    }
}
