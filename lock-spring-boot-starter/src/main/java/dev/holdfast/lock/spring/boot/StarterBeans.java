package dev.holdfast.lock.spring.boot;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.AnnotatedBeanDefinition;
import org.springframework.beans.factory.aot.BeanInstanceSupplier;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Hides the starter's own beans from the application's post-processors, and creates them when something asks for them. An advisor or a proxy creator
 * that applies to every bean would fail on their final classes. The lock client stays visible, because applications may have reasons to advise it. A
 * bean that must exist without being asked for says {@code @Lazy(false)}; Spring creates post-processors and parts of the lifecycle anyway.
 */
final class StarterBeans implements BeanFactoryPostProcessor {

    static final String CLIENT = "holdfastLockClient";

    private static final ConfigurationPropertyName OURS = ConfigurationPropertyName.of(LockProperties.PREFIX);

    /** The beans that refuse settings. They exist from the start if there are any settings to refuse. */
    private static final Set<String> CHECKED_AT_START = Set.of(CLIENT, "holdfastPropertiesCustomizer");

    private final Environment environment;

    StarterBeans(Environment environment) {
        this.environment = environment;
    }

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
        boolean isConfigured = isConfigured(environment);
        for (String name : beans.getBeanDefinitionNames()) {
            if (beans.getBeanDefinition(name) instanceof AbstractBeanDefinition definition) {
                if (isOurs(definition, beans)) {
                    definition.setSynthetic(!name.equals(CLIENT));
                    if (!Boolean.FALSE.equals(definition.getLazyInit())) {
                        definition.setLazyInit(!isConfigured || !CHECKED_AT_START.contains(name));
                    }
                }
            }
        }
    }

    /** Returns whether the configuration may have a setting of Holdfast. A source that cannot list its names may have one. */
    static boolean isConfigured(Environment environment) {
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source.containsDescendantOf(OURS) != ConfigurationPropertyState.ABSENT) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether the starter or an auto-configuration of another module declares the bean, whatever its name is. */
    static boolean isOurs(String name, ConfigurableListableBeanFactory beans) {
        return beans.containsBeanDefinition(name) && isOurs(beans.getBeanDefinition(name), beans);
    }

    private static boolean isOurs(BeanDefinition definition, ConfigurableListableBeanFactory beans) {
        String place = placeOf(definition);
        if (place == null || !place.startsWith("dev.holdfast.lock.")) {
            return false;
        }
        Class<?> type = ClassUtils.resolveClassName(place, beans.getBeanClassLoader());
        return (!isMadeByCode(definition) || type.isAnnotationPresent(ConfigurationProperties.class))
                && (type.getProtectionDomain() == StarterBeans.class.getProtectionDomain()
                        || type.getNestHost().isAnnotationPresent(AutoConfiguration.class));
    }

    /** Returns whether a supplier makes the bean. Spring Boot has one for a bean of properties, and code made ahead of time for every bean. */
    private static boolean isMadeByCode(BeanDefinition definition) {
        return definition instanceof AbstractBeanDefinition bean
                && bean.getInstanceSupplier() != null
                && !(bean.getInstanceSupplier() instanceof BeanInstanceSupplier);
    }

    /** Returns the class that has the bean's factory method, or the bean's class if it has none. */
    private static @Nullable String placeOf(BeanDefinition definition) {
        if (definition instanceof AbstractBeanDefinition bean
                && bean.getInstanceSupplier() instanceof BeanInstanceSupplier<?> made
                && made.getFactoryMethod() != null) {
            return made.getFactoryMethod().getDeclaringClass().getName();
        }
        return definition.getFactoryMethodName() != null
                        && definition instanceof AnnotatedBeanDefinition annotated
                        && annotated.getFactoryMethodMetadata() != null
                ? annotated.getFactoryMethodMetadata().getDeclaringClassName()
                : definition.getBeanClassName();
    }
}
