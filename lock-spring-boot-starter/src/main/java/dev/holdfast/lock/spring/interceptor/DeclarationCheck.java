package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.InvalidLockDeclarationException;
import java.lang.reflect.Method;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.MergedBeanDefinitionPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.annotation.AnnotationUtils;

/**
 * Looks at every bean's annotated methods as the application starts, so that what cannot work fails then and does not run unlocked later. A
 * bean that is made is looked at before it is proxied; those that are not made yet are looked at, by their class, once all singletons are.
 */
final class DeclarationCheck implements MergedBeanDefinitionPostProcessor, SmartInitializingSingleton {

    private final ConfigurableListableBeanFactory beans;
    private final ObjectProvider<LockOperationSource> methods;
    private final ObjectProvider<DeclaredLocksCheck> checks;
    private final DeclaredLocks declared;
    private final Set<Class<?>> seen = ConcurrentHashMap.newKeySet();

    DeclarationCheck(
            ConfigurableListableBeanFactory beans,
            ObjectProvider<LockOperationSource> methods,
            DeclaredLocks declared,
            ObjectProvider<DeclaredLocksCheck> checks) {
        this.beans = beans;
        this.methods = methods;
        this.declared = declared;
        this.checks = checks;
    }

    @Override
    public void postProcessMergedBeanDefinition(RootBeanDefinition definition, Class<?> type, String beanName) {
        check(beanName, type);
    }

    @Override
    public void afterSingletonsInstantiated() {
        for (String beanName : beans.getBeanNamesForType(Object.class, true, false)) {
            Class<?> type = AutoProxyUtils.determineTargetClass(beans, beanName);
            if (type != null) {
                check(beanName, type);
                checkIsProxied(beanName, type);
            }
        }
        checks.orderedStream().forEach(check -> check.check(declared));
    }

    private void check(String beanName, Class<?> type) {
        if (!mayDeclare(type) || !seen.add(type)) {
            return;
        }
        ProxyabilityCheck reach = new ProxyabilityCheck(beans, beanName, type);
        for (Method method : LockOperationSource.lockedMethods(type)) {
            reach.check(method);
            methods.getObject().find(method, type).ifPresent(this::take);
        }
    }

    private void take(LockedMethod guarded) {
        for (LockOperation operation : guarded.operations()) {
            OperationCheck.check(operation, guarded, declared.all());
        }
        declared.add(guarded);
    }

    /** A bean that was made before proxies were, for another post-processor's sake, would run unlocked. */
    private void checkIsProxied(String beanName, Class<?> type) {
        if (mayDeclare(type)
                && beans.containsSingleton(beanName)
                && !LockOperationSource.lockedMethods(type).isEmpty()) {
            Object bean = beans.getSingleton(beanName);
            if (bean != null && !LockAdvisor.advises(bean)) {
                throw new InvalidLockDeclarationException(
                        type.getName(),
                        "the bean '" + beanName + "' has no proxy, since it was made before proxies were; its methods"
                                + " would run unlocked",
                        "Do not let a BeanPostProcessor or a BeanFactoryPostProcessor depend on it");
            }
        }
    }

    private static boolean mayDeclare(Class<?> type) {
        return AnnotationUtils.isCandidateClass(type, DistributedLock.class)
                && !type.getName().startsWith("org.springframework.");
    }
}
