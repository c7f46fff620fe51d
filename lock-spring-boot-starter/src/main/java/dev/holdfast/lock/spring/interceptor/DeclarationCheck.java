package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.spring.InvalidLockDeclarationException;
import dev.holdfast.lock.spring.interceptor.ProxiedBeans.Origin;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.MergedBeanDefinitionPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;

/**
 * Fails startup if a method would run without its lock. Checks a bean's class before the bean is proxied, and all other beans' classes at the end.
 */
final class DeclarationCheck implements MergedBeanDefinitionPostProcessor, SmartInitializingSingleton {

    private static final Log log = LogFactory.getLog(DeclarationCheck.class);
    private final ConfigurableListableBeanFactory beans;
    private final ObjectProvider<LockOperationSource> source;
    private final ProxiedBeans proxied;
    private final UnproxiedBeans reaction;
    private final DeclaredLocks declared;
    private final ObjectProvider<DeclaredLocks.Check> checks;
    private final Map<Class<?>, Set<Method>> locked = new ConcurrentHashMap<>();
    private final Map<String, Class<?>> createdAs = new ConcurrentHashMap<>();
    private final Set<Class<?>> checked = ConcurrentHashMap.newKeySet();
    private final OnlyBeans onlyBeans = new OnlyBeans();

    DeclarationCheck(
            ConfigurableListableBeanFactory beans,
            ObjectProvider<LockOperationSource> source,
            ProxiedBeans proxied,
            UnproxiedBeans reaction,
            DeclaredLocks declared,
            ObjectProvider<DeclaredLocks.Check> checks) {
        this.beans = beans;
        this.source = source;
        this.proxied = proxied;
        this.reaction = reaction;
        this.declared = declared;
        this.checks = checks;
    }

    @Override
    public void postProcessMergedBeanDefinition(RootBeanDefinition definition, Class<?> type, String beanName) {
        if (!lockedMethods(type).isEmpty()) {
            check(beanName, type);
            checkOnlyBean(beanName, type);
            if (!FactoryBean.class.isAssignableFrom(type)) {
                createdAs.put(beanName, type);
            }
        }
    }

    @Override
    public void afterSingletonsInstantiated() {
        SortedSet<String> replaced = new TreeSet<>();
        for (String beanName : beans.getBeanNamesForType(Object.class, true, false)) {
            // A scoped proxy takes no locks. The bean behind it takes them, and has its own definition.
            if (!beans.containsBeanDefinition(ScopedProxyUtils.getTargetBeanName(beanName))) {
                Class<?> created = createdAs.get(beanName);
                Class<?> type = created == null ? AutoProxyUtils.determineTargetClass(beans, beanName) : created;
                checkKnown(beanName, type, replaced);
            }
        }
        if (reaction != UnproxiedBeans.OFF && !replaced.isEmpty()) {
            log.info("Objects such as a test's mocks replace these beans, whose methods run without their locks: "
                    + String.join(", ", replaced));
        }
        checks.orderedStream().forEach(check -> check.check(declared));
    }

    private void checkKnown(String beanName, @Nullable Class<?> type, Set<String> replacedBeans) {
        Origin origin = proxied.originOf(beanName);
        boolean created = origin != null;
        Object object = created || beans.isFactoryBean(beanName) ? null : beans.getSingleton(beanName);
        // Spring also registers objects that are not beans of the application. They declare no locks.
        boolean replaced = object != null
                && LockOperationSource.mayDeclare(object.getClass())
                && !(object instanceof BeanFactoryPostProcessor);
        if (!created && isOfApplication(beanName) && (replaced || mayHideLocks(type))) {
            declared.mayBeIncomplete(beanName);
        }
        if (type == null || lockedMethods(type).isEmpty()) {
            return;
        }
        if (object != null) {
            takeIfValid(type);
            if (beans.containsBeanDefinition(beanName)) {
                replacedBeans.add(beanName);
            } else {
                reaction.warn(beanName, type, "it was registered as an object, not created from a definition");
            }
        } else {
            check(beanName, type);
            checkOnlyBean(beanName, type);
            if (origin == Origin.EARLY) {
                createdEarly(beanName, type);
            } else if (origin == Origin.UNPROXIED && beans.isSingleton(beanName)) {
                reaction.warn(beanName, type, "another post-processor replaced it, or Spring does not proxy it");
            }
        }
    }

    /**
     * Returns whether the bean belongs to the application. Synthetic beans belong to a framework or to the starter, and post-processors do not see
     * them.
     */
    private boolean isOfApplication(String beanName) {
        return beans.containsBeanDefinition(beanName)
                && !(beans.getMergedBeanDefinition(beanName) instanceof RootBeanDefinition definition
                        && definition.isSynthetic());
    }

    /**
     * Returns whether a bean that does not exist yet may have locks that its definition does not show. Its class may be a subclass of the type in the
     * definition.
     */
    private static boolean mayHideLocks(@Nullable Class<?> type) {
        return type == null || (Modifier.isAbstract(type.getModifiers()) && LockOperationSource.mayDeclare(type));
    }

    private void check(String beanName, Class<?> type) {
        if (!checked.add(type)) {
            return;
        }
        ProxyabilityCheck proxyability = ProxyabilityCheck.of(beans, beanName, type);
        SpringCallsCheck calls = SpringCallsCheck.of(beans, beanName, type);
        for (Method method : lockedMethods(type)) {
            // The annotation of a class does not apply to its lifecycle callbacks.
            if (LockOperationSource.declaresItself(method) || !calls.isCallback(method)) {
                proxyability.check(method);
                calls.check(method);
                source.getObject().find(method, type).ifPresent(found -> take(type, found));
            }
        }
    }

    /** An object that is no bean of the application may be one of many. */
    private void checkOnlyBean(String beanName, Class<?> type) {
        if (isOfApplication(beanName)) {
            onlyBeans.check(beanName, type);
        }
    }

    private void take(Class<?> type, LockedMethod method) {
        for (LockOperation operation : method.operations()) {
            new OperationCheck(operation, method).check(declared.all());
            onlyBeans.add(type, operation);
        }
        declared.add(method);
        String doubt = DeclaredResult.of(method.method(), type).doubt();
        if (doubt != null) {
            log.warn(doubt);
        }
    }

    /** Adds the declared locks of an object that does not acquire them, because the configuration may still mention their names. */
    private void takeIfValid(Class<?> type) {
        for (Method method : lockedMethods(type)) {
            try {
                source.getObject().find(method, type).ifPresent(declared::add);
            } catch (InvalidLockDeclarationException notItsOwnMethod) {
                log.debug("Not checked, since it takes no lock: " + notItsOwnMethod.getMessage());
            }
        }
    }

    private void createdEarly(String beanName, Class<?> type) {
        String reason = "it was created before the proxy creator";
        if (reaction != UnproxiedBeans.FAIL) {
            reaction.warn(beanName, type, reason);
            return;
        }
        throw new InvalidLockDeclarationException(
                type.getName(),
                "the bean '" + beanName + "' has no proxy, because " + reason
                        + "; its methods would run without their locks",
                "Do not let a BeanPostProcessor or a BeanFactoryPostProcessor depend on it, or inject an"
                        + " ObjectProvider there. With holdfast.unproxied-beans=warn it is only logged");
    }

    private Set<Method> lockedMethods(Class<?> type) {
        return LockOperationSource.mayDeclare(type)
                ? locked.computeIfAbsent(type, LockOperationSource::lockedMethods)
                : Set.of();
    }
}
