package dev.holdfast.lock.spring.boot;

import org.springframework.beans.factory.annotation.AnnotatedBeanDefinition;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;

/**
 * Hides the starter's own beans from the application's post-processors. An advisor or a proxy creator that applies to every bean would fail on their
 * final classes. The lock client stays visible, because applications may have reasons to advise it.
 */
final class InfrastructureBeans implements BeanFactoryPostProcessor {

    static final String CLIENT = "holdfastLockClient";

    /** The part by which Spring Boot's names for the starter's property beans are recognized. */
    private static final String PROPERTIES = "-dev.holdfast.lock.";

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
        for (String name : beans.getBeanDefinitionNames()) {
            if (beans.getBeanDefinition(name) instanceof AbstractBeanDefinition definition
                    && isOurs(name, definition)) {
                definition.setSynthetic(true);
            }
        }
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
