package dev.holdfast.lock.spring.boot;

import java.util.Set;
import java.util.stream.StreamSupport;
import org.springframework.beans.factory.annotation.AnnotatedBeanDefinition;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.core.env.Environment;

/**
 * Hides the starter's own beans from the application's post-processors, and creates them when something asks for them. An advisor or a proxy creator
 * that applies to every bean would fail on their final classes. The lock client stays visible, because applications may have reasons to advise it. A
 * bean that must exist without being asked for says {@code @Lazy(false)}; Spring creates post-processors and parts of the lifecycle anyway.
 */
final class InfrastructureBeans implements BeanFactoryPostProcessor {

    static final String CLIENT = "holdfastLockClient";

    private static final ConfigurationPropertyName OURS = ConfigurationPropertyName.of(LockProperties.PREFIX);

    /** The beans that refuse settings. They exist from the start if there are any settings to refuse. */
    private static final Set<String> CHECKED_AT_START =
            Set.of(CLIENT, "holdfastLockSettings", "holdfastPropertiesCustomizer");

    /** The part by which Spring Boot's names for the starter's property beans are recognized. */
    private static final String PROPERTIES = "-dev.holdfast.lock.";

    private final Environment environment;

    InfrastructureBeans(Environment environment) {
        this.environment = environment;
    }

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
        boolean isConfigured = isConfigured(environment);
        for (String name : beans.getBeanDefinitionNames()) {
            if (beans.getBeanDefinition(name) instanceof AbstractBeanDefinition definition) {
                boolean isOurs = isOurs(name, definition);
                if (isOurs) {
                    definition.setSynthetic(true);
                }
                if ((isOurs || name.equals(CLIENT)) && !Boolean.FALSE.equals(definition.getLazyInit())) {
                    definition.setLazyInit(!isConfigured || !CHECKED_AT_START.contains(name));
                }
            }
        }
    }

    /** Returns whether the configuration may have a setting of Holdfast. A source that cannot list its names may have one. */
    static boolean isConfigured(Environment environment) {
        return StreamSupport.stream(
                        ConfigurationPropertySources.get(environment).spliterator(), false)
                .anyMatch(source -> source.containsDescendantOf(OURS) != ConfigurationPropertyState.ABSENT);
    }

    /** Returns whether a bean of this name is one of the starter, apart from the client. */
    static boolean isOurs(String name) {
        return (name.startsWith("holdfast") && !name.equals(CLIENT)) || name.contains(PROPERTIES);
    }

    private static boolean isOurs(String name, BeanDefinition definition) {
        return isOurs(name)
                || (name.startsWith("dev.holdfast.lock.")
                        && definition instanceof AnnotatedBeanDefinition annotated
                        && annotated.getMetadata().isAnnotated(AutoConfiguration.class.getName()));
    }
}
