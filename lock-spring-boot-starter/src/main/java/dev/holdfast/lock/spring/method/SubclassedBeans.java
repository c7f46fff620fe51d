package dev.holdfast.lock.spring.method;

import dev.holdfast.lock.spring.InvalidLockDeclarationException;
import dev.holdfast.lock.spring.declaration.Callbacks;
import dev.holdfast.lock.spring.declaration.Declaration;
import dev.holdfast.lock.spring.declaration.LockAnnotations;
import dev.holdfast.lock.spring.method.LockedCalls.ContextLocks;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.aopalliance.aop.Advice;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.Pointcut;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.autoproxy.AbstractAutoProxyCreator;
import org.springframework.beans.BeanUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.annotation.Lookup;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.SmartInstantiationAwareBeanPostProcessor;
import org.springframework.beans.factory.support.AbstractAutowireCapableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.AbstractBeanFactory;
import org.springframework.beans.factory.support.InstantiationStrategy;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.cglib.proxy.Enhancer;
import org.springframework.core.PriorityOrdered;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Lets Spring create an object of a generated subclass where a call of an annotated method can go past the bean's proxy, as Spring does for methods with
 * {@code @Lookup}. The method then takes its locks for every caller. Definitions keep the class that the application wrote.
 */
public final class SubclassedBeans implements BeanFactoryPostProcessor, PriorityOrdered, DisposableBean {

    private static final ClassValue<Boolean> REACHED = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            return LockAnnotations.mayLockFallbacks(type) || CallsPastProxy.reach(type, lockedByProxy(type));
        }
    };

    private final ContextLocks locks;
    private final Map<String, Object> bare = new ConcurrentHashMap<>();
    private volatile boolean started;

    /** Creates the post-processor. The locks are looked up at the first call, because the beans that they need do not exist earlier. */
    public SubclassedBeans(Supplier<? extends MethodLocks> locks) {
        this.locks = new ContextLocks(locks);
    }

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
        LockedCalls.started(locks);
        checkAreNotLocked(BeanPostProcessor.class, beans);
        checkAreNotLocked(BeanFactoryPostProcessor.class, beans);
        // Here, so that it also sees the beans that Spring creates before all post-processors exist.
        beans.addBeanPostProcessor(new FirstLook());
        if (beans instanceof AbstractAutowireCapableBeanFactory factory) {
            factory.setInstantiationStrategy(new Creation(factory.getInstantiationStrategy(), factory));
        }
    }

    /** Returns the class of the object that Spring creates: a generated one if a call can go past the proxy, or if there will be none. */
    static Class<?> created(RootBeanDefinition definition, Class<?> type, boolean isProxied) {
        if (obstacle(definition, type) != null) {
            return type;
        }
        Set<Method> methods = lockedByProxy(type);
        methods.removeIf(method -> !canOverride(method, type));
        return methods.isEmpty() || (isProxied && isProxied(type) && !isCalledPastProxy(definition, type))
                ? type
                : LockedSubclass.of(type, methods);
    }

    /** Returns whether a call of an annotated method can go past the proxy. The definition is null if the bean has none. */
    public static boolean isCalledPastProxy(@Nullable AbstractBeanDefinition definition, Class<?> type) {
        if (LockAnnotations.lockedMethods(type).isEmpty()) {
            return false;
        }
        Callbacks callbacks = new Callbacks(type, definition);
        boolean hasSetters = definition != null
                && (definition.hasPropertyValues()
                        || definition.getResolvedAutowireMode() == AbstractBeanDefinition.AUTOWIRE_BY_NAME
                        || definition.getResolvedAutowireMode() == AbstractBeanDefinition.AUTOWIRE_BY_TYPE);
        return REACHED.get(type)
                || lockedByProxy(type).stream()
                        .anyMatch(method -> callbacks.onCreation(method)
                                || (hasSetters && method.getName().startsWith("set")));
    }

    private static Set<Method> lockedByProxy(Class<?> type) {
        Set<Method> methods = new HashSet<>(LockAnnotations.lockedMethods(type));
        methods.removeIf(LockedCalls::isWoven);
        return methods;
    }

    /** Returns whether Spring proxies objects of the class at all. */
    private static boolean isProxied(Class<?> type) {
        return !Advice.class.isAssignableFrom(type)
                && !Advisor.class.isAssignableFrom(type)
                && !Pointcut.class.isAssignableFrom(type)
                && !AopInfrastructureBean.class.isAssignableFrom(type)
                && !MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY)
                        .isPresent("org.aspectj.lang.annotation.Aspect");
    }

    private static boolean hasProxyCreator(AbstractBeanFactory beans) {
        return beans.getBeanPostProcessors().stream().anyMatch(AbstractAutoProxyCreator.class::isInstance);
    }

    /**
     * Returns whether a post-processor can see an object without its proxy. In a circular reference, Spring shows the proxy to the other bean first,
     * and the object to the remaining post-processors. The one for {@code @Scheduled} then calls the object itself.
     */
    static boolean allowsCircularReferences(BeanFactory beans) {
        return beans instanceof AbstractAutowireCapableBeanFactory factory && factory.isAllowCircularReferences();
    }

    /** Creates objects of generated classes, and all others as Spring does. */
    private record Creation(InstantiationStrategy spring, AbstractBeanFactory beans) implements InstantiationStrategy {

        private Class<?> created(RootBeanDefinition definition) {
            Class<?> type = definition.getBeanClass();
            return LockAnnotations.lockedMethods(type).isEmpty() || beans.getTempClassLoader() != null
                    ? type
                    : SubclassedBeans.created(
                            definition, type, hasProxyCreator(beans) && !allowsCircularReferences(beans));
        }

        @Override
        public Object instantiate(RootBeanDefinition definition, @Nullable String beanName, BeanFactory owner) {
            Class<?> created = ProxyCreators.created(created(definition), beanName);
            return created != definition.getBeanClass() && ClassUtils.hasConstructor(created)
                    ? BeanUtils.instantiateClass(created)
                    : spring.instantiate(definition, beanName, owner);
        }

        @Override
        public Object instantiate(
                RootBeanDefinition definition,
                @Nullable String beanName,
                BeanFactory owner,
                Constructor<?> constructor,
                Object... arguments) {
            Class<?> created = created(definition);
            Constructor<?> same =
                    LockedSubclass.isGenerated(created) && constructor.getDeclaringClass() == definition.getBeanClass()
                            ? ClassUtils.getConstructorIfAvailable(created, constructor.getParameterTypes())
                            : null;
            return same == null
                    ? spring.instantiate(definition, beanName, owner, constructor, arguments)
                    : BeanUtils.instantiateClass(same, arguments);
        }

        @Override
        @SuppressWarnings("NullAway") // Whether it sees that Spring declares nullable elements depends on the JDK.
        public Object instantiate(
                RootBeanDefinition definition,
                @Nullable String beanName,
                BeanFactory owner,
                @Nullable Object factory,
                Method method,
                Object... arguments) {
            return spring.instantiate(definition, beanName, owner, factory, method, arguments);
        }

        @Override
        public Class<?> getActualBeanClass(
                RootBeanDefinition definition, @Nullable String beanName, BeanFactory owner) {
            return spring.getActualBeanClass(definition, beanName, owner);
        }
    }

    private static void checkAreNotLocked(Class<?> processors, ConfigurableListableBeanFactory beans) {
        for (String name : beans.getBeanNamesForType(processors, true, false)) {
            Class<?> type = beans.getType(name, false);
            if (type != null) {
                for (Method method : LockAnnotations.lockedMethods(type)) {
                    checkIsCreatedLate(method, type);
                }
            }
        }
    }

    /** Refuses a locked method of a post-processor. */
    public static void checkIsCreatedLate(Method method, Class<?> type) {
        if (BeanPostProcessor.class.isAssignableFrom(type) || BeanFactoryPostProcessor.class.isAssignableFrom(type)) {
            throw new InvalidLockDeclarationException(
                    method.getDeclaringClass().getName() + "." + method.getName(),
                    "its bean is a post-processor, which Spring creates and calls before it can create the lock client",
                    "Move the method to another bean, which the post-processor gets from an ObjectProvider");
        }
    }

    /** Returns whether a subclass in the package of a class can override the method. */
    public static boolean canOverride(Method method, Class<?> type) {
        int modifiers = method.getModifiers();
        return !Modifier.isStatic(modifiers)
                && !Modifier.isPrivate(modifiers)
                && !Modifier.isFinal(modifiers)
                && isVisible(method, type);
    }

    /** Returns false for a package-private method of another package. Two class loaders have two packages of one name. */
    public static boolean isVisible(Method method, Class<?> type) {
        return Modifier.isPublic(method.getModifiers())
                || Modifier.isProtected(method.getModifiers())
                || (method.getDeclaringClass().getPackage() == type.getPackage()
                        && method.getDeclaringClass().getClassLoader() == type.getClassLoader());
    }

    /** Returns why a bean cannot be an object of a subclass; null if nothing is in the way. The definition is null if the bean has none. */
    public static @Nullable String obstacle(@Nullable AbstractBeanDefinition definition, Class<?> type) {
        if (LockedSubclass.isGenerated(type)) {
            return null;
        }
        if (definition == null
                || definition.getFactoryMethodName() != null
                || definition.getInstanceSupplier() != null) {
            return "the object is made by code and not by Spring";
        }
        if (Modifier.isFinal(type.getModifiers()) || type.isSealed()) {
            return "its class is " + (type.isSealed() ? "sealed" : "final");
        }
        if (type.getName().contains(ClassUtils.CGLIB_CLASS_SEPARATOR)
                || definition.hasMethodOverrides()
                || hasLookups(type)
                || Modifier.isAbstract(type.getModifiers())) {
            return "Spring makes a subclass of its own, for @Bean methods that call each other or for @Lookup";
        }
        if (!type.getModule().isOpen(type.getPackageName(), Enhancer.class.getModule())) {
            return "the package of its class is not open to Spring";
        }
        return hasHiddenConstructors(type)
                        || Arrays.stream(type.getDeclaredConstructors()).anyMatch(SubclassedBeans::isNeededAsItIs)
                ? "a subclass cannot call its constructor"
                : null;
    }

    private static boolean hasLookups(Class<?> type) {
        return Arrays.stream(ReflectionUtils.getAllDeclaredMethods(type))
                .anyMatch(method -> method.isAnnotationPresent(Lookup.class));
    }

    /** Returns whether no subclass can call a constructor of the class. */
    public static boolean hasHiddenConstructors(Class<?> type) {
        return Arrays.stream(type.getDeclaredConstructors()).allMatch(SubclassedBeans::isHidden);
    }

    private static boolean isHidden(Constructor<?> constructor) {
        return Modifier.isPrivate(constructor.getModifiers());
    }

    /** Returns whether Spring chooses a private constructor by its annotation, or fills in default arguments of Kotlin. */
    private static boolean isNeededAsItIs(Constructor<?> constructor) {
        Class<?>[] parameters = constructor.getParameterTypes();
        return (isHidden(constructor) && constructor.getAnnotations().length > 0)
                || (parameters.length > 0
                        && parameters[parameters.length - 1]
                                .getName()
                                .equals("kotlin.jvm.internal.DefaultConstructorMarker"));
    }

    @Override
    public void destroy() {
        LockedCalls.stopped(locks);
    }

    /**
     * Returns the object of a name that Spring has created as a bean, or as the product of a factory bean, before anything wraps it; null if Spring has
     * created none. It knows no objects that were registered, such as a test's mocks.
     */
    public @Nullable Object bare(String beanName) {
        return bare.get(beanName);
    }

    /** Forgets the objects, because the application has started. */
    public void forget() {
        started = true;
        bare.clear();
    }

    /** Tells each object whose locks it uses, before Spring calls any of its methods, and remembers it before anything wraps it. */
    private final class FirstLook implements SmartInstantiationAwareBeanPostProcessor {
        @Override
        public boolean postProcessAfterInstantiation(Object bean, String beanName) {
            LockedSubclass.bind(bean, locks);
            return true;
        }

        /** Called for a bean in a circular reference. */
        @Override
        public Object getEarlyBeanReference(Object bean, String beanName) {
            if (!LockedSubclass.isGenerated(bean.getClass())) {
                lockedByProxy(bean.getClass()).stream().findFirst().ifPresent(method -> {
                    throw Declaration.invalid(
                            method,
                            "its bean '" + beanName
                                    + "' is part of a circular reference, in which post-processors, such as the one for"
                                    + " @Scheduled, call the object and not its proxy",
                            "Add @Lazy to one of the references, or let Spring create the object");
                });
            }
            return bean;
        }

        @Override
        public Object postProcessAfterInitialization(Object bean, String beanName) {
            if (!started) {
                // A factory bean and its product have the same name.
                bare.put(bean instanceof FactoryBean ? BeanFactory.FACTORY_BEAN_PREFIX + beanName : beanName, bean);
            }
            return bean;
        }
    }
}
