package dev.holdfast.lock.spring.check;

import dev.holdfast.lock.spring.call.LockInterceptor.LockAdvisor;
import dev.holdfast.lock.spring.declaration.LockAnnotations;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Warns of beans with locks in a parent or child context in which locks are not configured. This context's proxy creator does not see those beans.
 */
record ContextHierarchyCheck(ApplicationContext own) {

    void check(ApplicationContext refreshed) {
        ApplicationContext parent = own.getParent();
        if (refreshed != own && closestWithLocks(refreshed) == own) {
            report(refreshed, "it belongs to a child context, where locks are not configured");
        } else if (refreshed == own && parent != null && !hasLocks(parent)) {
            report(parent, "it belongs to the parent context, where locks are not configured");
        }
    }

    /** Finds the context that reports. All ancestors of a refreshed context receive its event, but only one of them must report it. */
    private static @Nullable ApplicationContext closestWithLocks(ApplicationContext context) {
        ApplicationContext closest = context;
        while (closest != null && !hasLocks(closest)) {
            closest = closest.getParent();
        }
        return closest;
    }

    private static boolean hasLocks(ApplicationContext context) {
        return context.getBeanNamesForType(LockAdvisor.class, true, false).length > 0;
    }

    private void report(ApplicationContext context, String reason) {
        if (!(context instanceof ConfigurableApplicationContext configurable)) {
            return;
        }
        ConfigurableListableBeanFactory beans = configurable.getBeanFactory();
        for (String beanName : beans.getBeanNamesForType(Object.class, true, false)) {
            Class<?> type = AutoProxyUtils.determineTargetClass(beans, beanName);
            if (type != null && !LockAnnotations.lockedMethods(type).isEmpty()) {
                warnOfNoProxy(beanName, type, reason);
            }
        }
    }

    static void warnOfNoProxy(String beanName, Class<?> type, String reason) {
        LogFactory.getLog(ContextHierarchyCheck.class)
                .warn("@DistributedLock on " + type.getName() + ": the bean '" + beanName + "' has no proxy, because "
                        + reason + ". Its methods run without their locks.");
    }
}
