package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.spring.DistributedLock;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ReflectionUtils;

/** Logs once, when locks are switched off, which methods run without them. */
final class UnlockedMethodsWarning implements SmartInitializingSingleton, BeanFactoryAware {

    private static final Log log = LogFactory.getLog(UnlockedMethodsWarning.class);

    private @Nullable ConfigurableListableBeanFactory beans;

    @Override
    public void setBeanFactory(BeanFactory beanFactory) {
        this.beans = (ConfigurableListableBeanFactory) beanFactory;
    }

    @Override
    public void afterSingletonsInstantiated() {
        List<String> unlocked = new ArrayList<>();
        if (beans != null) {
            for (String name : beans.getBeanNamesForType(Object.class, true, false)) {
                Class<?> type = AutoProxyUtils.determineTargetClass(beans, name);
                if (type != null && AnnotationUtils.isCandidateClass(type, DistributedLock.class)) {
                    addAnnotated(type, unlocked);
                }
            }
        }
        if (!unlocked.isEmpty()) {
            log.warn(
                    "holdfast.enabled is false. These methods run without their locks: " + String.join(", ", unlocked));
        }
    }

    private static void addAnnotated(Class<?> type, List<String> unlocked) {
        if (isAnnotated(MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY))) {
            unlocked.add(type.getName());
        }
        ReflectionUtils.doWithMethods(
                type,
                method -> unlocked.add(type.getName() + "." + method.getName() + "()"),
                method -> !method.isBridge()
                        && isAnnotated(MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY)));
    }

    private static boolean isAnnotated(MergedAnnotations annotations) {
        return annotations.isPresent(DistributedLock.class);
    }
}
