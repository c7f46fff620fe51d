package dev.holdfast.lock.test.spring;

import dev.holdfast.lock.test.spring.InMemoryLockAutoConfiguration.StartedByTest;
import java.util.List;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;

/** Marks the contexts that tests start, and no others: only Spring's test framework calls it. */
final class StartedByTestCustomizerFactory implements ContextCustomizerFactory {

    @Override
    public ContextCustomizer createContextCustomizer(
            Class<?> testClass, List<ContextConfigurationAttributes> configuration) {
        return new Customizer();
    }

    /** Equal to every other one, so that tests still share their contexts. */
    private record Customizer() implements ContextCustomizer {
        @Override
        public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
            context.getBeanFactory().registerSingleton(StartedByTest.NAME, new StartedByTest());
        }
    }
}
