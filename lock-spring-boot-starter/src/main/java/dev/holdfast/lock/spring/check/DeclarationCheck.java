package dev.holdfast.lock.spring.check;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.spring.InvalidLockDeclarationException;
import dev.holdfast.lock.spring.call.DeclaredResult;
import dev.holdfast.lock.spring.call.LockFeature.LockedOperation;
import dev.holdfast.lock.spring.call.LockInterceptor;
import dev.holdfast.lock.spring.call.LockInterceptor.LockAdvisor;
import dev.holdfast.lock.spring.call.LockedMethod;
import dev.holdfast.lock.spring.declaration.Callbacks;
import dev.holdfast.lock.spring.declaration.Declaration;
import dev.holdfast.lock.spring.declaration.DeclaredLocks;
import dev.holdfast.lock.spring.declaration.LockAnnotations;
import dev.holdfast.lock.spring.method.LockedCalls;
import dev.holdfast.lock.spring.method.LockedSubclass;
import dev.holdfast.lock.spring.method.ProxyCreators;
import dev.holdfast.lock.spring.method.SubclassedBeans;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aot.AotDetector;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.MergedBeanDefinitionPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/**
 * Fails startup if a method would run without its lock. Checks a bean's class before the bean is proxied, and all other beans' classes at the end.
 */
public final class DeclarationCheck
        implements MergedBeanDefinitionPostProcessor,
                SmartInitializingSingleton,
                ApplicationListener<ContextRefreshedEvent> {

    private static final Log log = LogFactory.getLog(DeclarationCheck.class);
    /** The name of the bean that is WebFlux's entry point. It exists only if WebFlux is used. */
    private static final String WEB_FLUX = "webHandler";

    private final ConfigurableListableBeanFactory beans;
    private final ObjectProvider<LockInterceptor> source;
    private final SubclassedBeans classes;
    private final DeclaredLocks declared;
    private final ObjectProvider<DeclaredLocks.Check> checks;
    private final Map<String, Class<?>> createdAs = new ConcurrentHashMap<>();
    private final Set<Class<?>> checked = ConcurrentHashMap.newKeySet();
    private final OnlyBeans onlyBeans = new OnlyBeans();
    private final ApplicationContext own;
    private volatile boolean started;

    public DeclarationCheck(
            ConfigurableListableBeanFactory beans,
            ObjectProvider<LockInterceptor> source,
            SubclassedBeans classes,
            DeclaredLocks declared,
            ObjectProvider<DeclaredLocks.Check> checks,
            ApplicationContext own) {
        this.beans = beans;
        this.source = source;
        this.classes = classes;
        this.declared = declared;
        this.checks = checks;
        this.own = own;
    }

    @Override
    public void postProcessMergedBeanDefinition(RootBeanDefinition definition, Class<?> type, String beanName) {
        LockAnnotations.checkIsNotOnClass(type);
        if (!LockAnnotations.lockedMethods(type).isEmpty()) {
            check(beanName, type);
            checkOnlyBean(beanName, type);
            if (started) {
                checkCallsInside(beanName, type, definition);
            }
            if (!FactoryBean.class.isAssignableFrom(type)) {
                createdAs.put(beanName, type);
            }
        }
    }

    @Override
    public void afterSingletonsInstantiated() {
        started = true;
        SortedSet<String> replaced = new TreeSet<>();
        for (String beanName : beans.getBeanNamesForType(Object.class, true, false)) {
            // A scoped proxy takes no locks. The bean behind it takes them, and has its own definition.
            if (!beans.containsBeanDefinition(ScopedProxyUtils.getTargetBeanName(beanName))) {
                Class<?> created = createdAs.get(beanName);
                Class<?> type = created == null ? AutoProxyUtils.determineTargetClass(beans, beanName) : created;
                checkKnown(beanName, type, replaced);
            }
        }
        if (!replaced.isEmpty()) {
            log.info("Objects such as a test's mocks replace these beans, whose methods run without their locks: "
                    + String.join(", ", replaced));
        }
        classes.forget();
        checks.orderedStream().forEach(check -> check.check(declared));
    }

    /** Also called for contexts below this one. */
    @Override
    public void onApplicationEvent(ContextRefreshedEvent event) {
        checkHierarchy(event.getApplicationContext());
    }

    private void checkKnown(String beanName, @Nullable Class<?> type, Set<String> replacedBeans) {
        Object bare = classes.bare(beanName);
        boolean created = bare != null;
        Object object = created || beans.isFactoryBean(beanName) ? null : beans.getSingleton(beanName);
        // Spring also registers objects that are not beans of the application. They declare no locks.
        boolean replaced =
                object != null && !isOfSpring(object.getClass()) && !(object instanceof BeanFactoryPostProcessor);
        if (!created && isOfApplication(beanName) && (replaced || mayHideLocks(type))) {
            declared.mayBeIncomplete(beanName);
        }
        if (type == null) {
            return;
        }
        LockAnnotations.checkIsNotOnClass(type);
        if (LockAnnotations.lockedMethods(type).isEmpty()) {
            return;
        }
        if (object != null) {
            takeIfValid(type);
            if (beans.containsBeanDefinition(beanName)) {
                replacedBeans.add(beanName);
            } else {
                warnOfNoProxy(beanName, type, "it was registered as an object, not created from a definition");
            }
            return;
        }
        check(beanName, type);
        checkOnlyBean(beanName, type);
        Object bean = created && beans.isSingleton(beanName) ? beans.getBean(beanName) : null;
        if (bean != null && ProxyCreators.isOfAnotherCreator(bean)) {
            warnOfAnotherCreator(beanName, ClassUtils.getUserClass(type));
        }
        // What was generated ahead of time does not say which class the object will have.
        boolean isUnknown = !created && AotDetector.useGeneratedArtifacts();
        if (LockedSubclass.isGenerated(type)
                || LockAnnotations.lockedMethods(type).stream().allMatch(LockedCalls::isWoven)
                || isUnknown) {
            return;
        }
        if (bean != null && !isProxied(beanName, type, bean, bare)) {
            warnOfWrapper(beanName, type, bean);
        } else if (created || !locksItself(beanName, type)) {
            checkCallsInside(beanName, type, beans.isFactoryBean(beanName) ? null : definition(beanName));
        }
    }

    /** Warns of an object whose methods can be called past its proxy. */
    private void checkCallsInside(String beanName, Class<?> type, @Nullable AbstractBeanDefinition definition) {
        if (!LockedSubclass.isGenerated(type)
                && mayCallItself(type)
                && SubclassedBeans.isCalledPastProxy(definition, type)) {
            warnOfCallsInside(beanName, type, obstacle(type, definition));
        }
    }

    /** Returns whether Spring creates the object of a generated class where that is needed, so that its methods take their locks themselves. */
    private boolean locksItself(String beanName, Class<?> type) {
        AbstractBeanDefinition definition = definition(beanName);
        return LockedSubclass.isGenerated(type)
                || (definition != null
                        && definition.hasBeanClass()
                        && definition.getBeanClass() == type
                        && SubclassedBeans.obstacle(definition, type) == null
                        && LockAnnotations.lockedMethods(type).stream()
                                .anyMatch(method -> SubclassedBeans.canOverride(method, type)));
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
        return type == null || (Modifier.isAbstract(type.getModifiers()) && !isOfSpring(type));
    }

    /** Returns whether nothing but Spring's own objects are expected to be of this type. */
    private static boolean isOfSpring(Class<?> type) {
        return type.getName().startsWith("org.springframework.");
    }

    private void check(String beanName, Class<?> created) {
        if (!checked.add(created)) {
            return;
        }
        boolean locksItself = locksItself(beanName, created);
        Class<?> type = ClassUtils.getUserClass(created);
        ProxyabilityCheck proxyability =
                locksItself ? new ProxyabilityCheck(type, true) : ProxyabilityCheck.of(beans, beanName, type);
        Callbacks callbacks = new Callbacks(type, definition(beanName));
        for (Method method : LockAnnotations.lockedMethods(type)) {
            boolean onCreation = !locksItself && callbacks.onCreation(method);
            boolean onDestruction = callbacks.onDestruction(method);
            proxyability.check(method);
            checkIsNoCallback(method, onCreation, onDestruction);
            checkRequest(method);
            source.getObject().find(method, type).ifPresent(found -> take(type, found));
        }
    }

    /** Refuses a handler method for whose parameters Spring has no value, or whose result it cannot use. */
    private void checkRequest(Method method) {
        // The annotation is given by name because its library is optional.
        if (!MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY)
                .isPresent("org.springframework.web.bind.annotation.RequestMapping")) {
            return;
        }
        if (Arrays.stream(method.getParameters()).anyMatch(DeclarationCheck::hasNoValue)) {
            throw Declaration.invalid(
                    method,
                    "Spring's controllers have no value for its parameter of type " + Lease.class.getName(),
                    "Use LockContext.current() in the method");
        }
        if (method.getReturnType() == Callable.class && beans.containsBean(WEB_FLUX)) {
            throw Declaration.invalid(
                    method, "WebFlux does not call a Callable, it writes the object", "Return a Mono or a Flux");
        }
    }

    private static boolean hasNoValue(Parameter parameter) {
        return parameter.getType() == Lease.class
                && Arrays.stream(parameter.getAnnotations())
                        .noneMatch(each -> each.annotationType().getName().startsWith("org.springframework.web."));
    }

    /** An object that is no bean of the application may be one of many. */
    private void checkOnlyBean(String beanName, Class<?> created) {
        if (isOfApplication(beanName)) {
            onlyBeans.check(beanName, ClassUtils.getUserClass(created));
        }
    }

    private static void checkIsNoCallback(Method method, boolean onCreation, boolean onDestruction) {
        if (onDestruction) {
            throw Declaration.invalid(
                    method,
                    "Spring calls it when it destroys the bean, after the lock client was closed",
                    "Move the work to a listener of ContextClosedEvent, or to the 'stop' of a SmartLifecycle");
        }
        if (onCreation) {
            throw Declaration.invalid(
                    method,
                    "Spring calls it past the proxy when it creates the bean, and it would run without its lock",
                    "Move the work to an ApplicationRunner or to a listener of ApplicationReadyEvent, let Spring create"
                            + " the object, or use the LockClient in it");
        }
    }

    private @Nullable AbstractBeanDefinition definition(String beanName) {
        return beans.containsBeanDefinition(beanName)
                        && beans.getMergedBeanDefinition(beanName) instanceof AbstractBeanDefinition definition
                ? definition
                : null;
    }

    private void take(Class<?> type, LockedMethod method) {
        OperationCheck.check(method, declared.all());
        for (LockedOperation lock : method.locks()) {
            onlyBeans.add(type, lock);
        }
        declare(method);
        String doubt = DeclaredResult.of(method.method(), type).doubt();
        if (doubt != null) {
            log.warn(doubt);
        }
    }

    private void declare(LockedMethod method) {
        for (LockedOperation lock : method.locks()) {
            declared.add(lock.declared());
        }
    }

    /** Adds the declared locks of an object that does not acquire them, because the configuration may still mention their names. */
    private void takeIfValid(Class<?> type) {
        for (Method method : LockAnnotations.lockedMethods(type)) {
            try {
                source.getObject().find(method, type).ifPresent(this::declare);
            } catch (InvalidLockDeclarationException notItsOwnMethod) {
                log.debug("Not checked, since it takes no lock: " + notItsOwnMethod.getMessage());
            }
        }
    }

    /** Returns whether an object has code that can call its own methods. A proxy or a lambda has none, unless its interfaces have. */
    private static boolean mayCallItself(Class<?> type) {
        boolean hasNoCode = Proxy.isProxyClass(type) || ClassUtils.isLambdaClass(type) || type.isInterface();
        return !hasNoCode || Arrays.stream(type.getMethods()).anyMatch(Method::isDefault);
    }

    private static String obstacle(Class<?> type, @Nullable AbstractBeanDefinition definition) {
        String obstacle = SubclassedBeans.obstacle(definition, type);
        return obstacle == null
                ? LockAnnotations.lockedMethods(type).stream()
                        .filter(method -> !SubclassedBeans.canOverride(method, type))
                        .findFirst()
                        .map(method ->
                                "no subclass can override " + type.getSimpleName() + "." + method.getName() + "()")
                        .orElse("its class was not known before it was created")
                : obstacle;
    }

    /** Refuses an object without a proxy that takes its locks. Returns false if there is something around it that is no proxy of Spring's. */
    private static boolean isProxied(String beanName, Class<?> type, Object bean, @Nullable Object bare) {
        Object layer = bean;
        while (layer != null && !LockAdvisor.advises(layer)) {
            if (layer == bare) {
                throw new InvalidLockDeclarationException(
                        type.getName(),
                        "the bean '" + beanName + "' has no proxy, because it was created before the proxy creator,"
                                + " another post-processor replaced it, or Spring does not proxy it; its methods would"
                                + " run without their locks",
                        "Do not let a BeanPostProcessor or a BeanFactoryPostProcessor depend on it or replace it, or"
                                + " inject an ObjectProvider there");
            }
            layer = AopProxyUtils.getSingletonTarget(layer);
        }
        return layer != null;
    }

    private static void warnOfWrapper(String beanName, Class<?> type, Object bean) {
        log.warn("@DistributedLock on " + type.getName() + ": another post-processor has wrapped or replaced the bean '"
                + beanName + "' with a " + bean.getClass().getName()
                + ". Unless a proxy that takes its locks is inside of that, its methods run without them.");
    }

    private static void warnOfCallsInside(String beanName, Class<?> type, String reason) {
        log.warn("@DistributedLock on " + type.getName() + ": only calls through the proxy of the bean '" + beanName
                + "' take its locks, because " + reason
                + ". Calls through 'this', and those that Spring makes when it creates or destroys the object,"
                + " do not.");
    }

    private static void warnOfAnotherCreator(String beanName, Class<?> type) {
        log.warn("@DistributedLock on " + type.getName()
                + ": another proxy creator than Spring's advises the bean '" + beanName
                + "', whose methods are also called past its proxies. That creator's advice runs outside of the lock, and"
                + " its pointcuts see a subclass of the bean's class.");
    }

    /**
     * Warns of beans with locks in a parent or child context in which locks are not configured. This context's proxy creator does not see those
     * beans.
     */
    private void checkHierarchy(ApplicationContext refreshed) {
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
        ConfigurableListableBeanFactory others = configurable.getBeanFactory();
        for (String beanName : others.getBeanNamesForType(Object.class, true, false)) {
            Class<?> type = AutoProxyUtils.determineTargetClass(others, beanName);
            if (type != null && !LockAnnotations.lockedMethods(type).isEmpty()) {
                warnOfNoProxy(beanName, type, reason);
            }
        }
    }

    private static void warnOfNoProxy(String beanName, Class<?> type, String reason) {
        log.warn("@DistributedLock on " + type.getName() + ": the bean '" + beanName + "' has no proxy, because "
                + reason + ". Its methods run without their locks.");
    }
}
