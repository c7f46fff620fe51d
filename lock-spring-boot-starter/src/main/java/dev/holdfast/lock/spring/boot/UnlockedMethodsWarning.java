package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.spring.declaration.Declaration;
import dev.holdfast.lock.spring.declaration.LockAnnotations;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.commons.logging.LogFactory;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** Logs once, if locks are switched off, which methods run without them. */
record UnlockedMethodsWarning(ConfigurableListableBeanFactory beans) implements SmartInitializingSingleton {
    @Override
    public void afterSingletonsInstantiated() {
        List<String> unlocked = Stream.of(beans.getBeanNamesForType(Object.class, true, false))
                .flatMap(name -> lockedMethods(name).stream())
                .map(Declaration::signature)
                .distinct()
                .toList();
        if (!unlocked.isEmpty()) {
            LogFactory.getLog(UnlockedMethodsWarning.class)
                    .warn("holdfast.enabled is false. These methods run without their locks: "
                            + String.join(", ", unlocked));
        }
    }

    private Set<Method> lockedMethods(String beanName) {
        Class<?> type = AutoProxyUtils.determineTargetClass(beans, beanName);
        return type == null ? Set.of() : LockAnnotations.lockedMethods(type);
    }
}
