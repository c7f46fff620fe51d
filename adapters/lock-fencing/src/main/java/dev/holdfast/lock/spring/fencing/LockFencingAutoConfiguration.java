package dev.holdfast.lock.spring.fencing;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.data.jdbc.core.mapping.JdbcMappingContext;

/** Auto-configuration for {@link FencedBy} with Spring Data JDBC. Hibernate finds its part without Spring. */
@AutoConfiguration
@ConditionalOnClass(JdbcMappingContext.class)
public final class LockFencingAutoConfiguration {

    @Bean
    @Lazy(false)
    static JdbcFencing holdfastJdbcFencing(ObjectProvider<JdbcMappingContext> mappings) {
        return new JdbcFencing(mappings);
    }
}
