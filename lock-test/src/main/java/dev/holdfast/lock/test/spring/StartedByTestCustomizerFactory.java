package dev.holdfast.lock.test.spring;

import dev.holdfast.lock.test.spring.InMemoryLockAutoConfiguration.StartedByTest;
import java.util.List;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;

/** Marks the contexts that tests start. Only Spring's test framework calls it, so other contexts are not marked. */
final class StartedByTestCustomizerFactory implements ContextCustomizerFactory {

    @Override
    public ContextCustomizer createContextCustomizer(
            Class<?> testClass, List<ContextConfigurationAttributes> configuration) {
        return Customizer.OF_EACH_TEST;
    }

    /** One for all tests, so that they still share their contexts. */
    private enum Customizer implements ContextCustomizer {
        OF_EACH_TEST;

        @Override
        public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
            context.getBeanFactory().registerSingleton(StartedByTest.NAME, new StartedByTest());
        }
    }
}
