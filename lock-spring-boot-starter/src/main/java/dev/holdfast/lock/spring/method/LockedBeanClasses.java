package dev.holdfast.lock.spring.method;

import dev.holdfast.lock.spring.InvalidLockDeclarationException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.annotation.Lookup;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.InstantiationAwareBeanPostProcessor;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.cglib.proxy.Enhancer;
import org.springframework.core.PriorityOrdered;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Replaces the class of each bean that Spring creates and that has annotated methods, before Spring creates beans. Code that calls a method of such an
 * object takes the method's locks, whether it knows a proxy of the object or not.
 */
public final class LockedBeanClasses implements BeanFactoryPostProcessor, PriorityOrdered, DisposableBean {

    private final Function<Class<?>, Set<Method>> lockedMethods;
    private final Supplier<MethodLocks> locks;

    /** Creates the post-processor. The locks are looked up at the first call, because the beans that they need do not exist earlier. */
    public LockedBeanClasses(Function<Class<?>, Set<Method>> lockedMethods, Supplier<MethodLocks> locks) {
        this.lockedMethods = lockedMethods;
        this.locks = locks;
    }

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
        LockedCalls.started(locks);
        Stream.of(BeanPostProcessor.class, BeanFactoryPostProcessor.class)
                .flatMap(type -> Stream.of(beans.getBeanNamesForType(type, true, false)))
                .map(name -> beans.getType(name, false))
                .filter(Objects::nonNull)
                .forEach(type -> lockedMethods.apply(type).stream()
                        .findFirst()
                        .ifPresent(method -> checkIsCreatedLate(method, type)));
        beans.addBeanPostProcessor(new Binding(locks));
        boolean changed = false;
        for (String name : beans.getBeanDefinitionNames()) {
            if (beans.getTempClassLoader() == null
                    && beans.getBeanDefinition(name) instanceof AbstractBeanDefinition definition) {
                changed |= replace(definition, beans.getBeanClassLoader());
            }
        }
        if (changed) {
            beans.clearMetadataCache();
        }
    }

    private boolean replace(AbstractBeanDefinition definition, @Nullable ClassLoader loader) {
        Class<?> type = classOf(definition, loader);
        if (type == null || Modifier.isAbstract(type.getModifiers())) {
            return false;
        }
        Set<Method> locked = lockedMethods.apply(type);
        if (locked.isEmpty()) {
            return false;
        }
        List<Method> methods =
                locked.stream().filter(method -> canOverride(method, type)).toList();
        if (methods.isEmpty() || obstacle(definition, type) != null) {
            return false;
        }
        definition.setBeanClass(LockedSubclass.of(type, methods));
        return true;
    }

    /** Returns the class that Spring creates an object of; null if other code creates it. */
    private static @Nullable Class<?> classOf(AbstractBeanDefinition definition, @Nullable ClassLoader loader) {
        String name = definition.getBeanClassName();
        if (name == null || definition.getFactoryMethodName() != null || definition.getInstanceSupplier() != null) {
            return null;
        }
        try {
            return definition.hasBeanClass() ? definition.getBeanClass() : ClassUtils.forName(name, loader);
        } catch (ClassNotFoundException | LinkageError e) {
            // Spring reports it when it needs the class.
            return null;
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
                || hasLookups(type)) {
            return "Spring makes a subclass of its own, for @Bean methods that call each other or for @Lookup";
        }
        if (!type.getModule().isOpen(type.getPackageName(), Enhancer.class.getModule())) {
            return "the package of its class is not open to Spring";
        }
        return hasHiddenConstructors(type)
                        || Arrays.stream(type.getDeclaredConstructors()).anyMatch(LockedBeanClasses::isNeededAsItIs)
                ? "a subclass cannot call its constructor"
                : null;
    }

    private static boolean hasLookups(Class<?> type) {
        return Arrays.stream(ReflectionUtils.getAllDeclaredMethods(type))
                .anyMatch(method -> method.isAnnotationPresent(Lookup.class));
    }

    /** Returns whether no subclass can call a constructor of the class. */
    public static boolean hasHiddenConstructors(Class<?> type) {
        return Arrays.stream(type.getDeclaredConstructors()).allMatch(LockedBeanClasses::isHidden);
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

    /** Tells each object whose locks it uses, before Spring calls any of its methods. */
    private static final class Binding implements InstantiationAwareBeanPostProcessor {

        private final Supplier<MethodLocks> locks;

        Binding(Supplier<MethodLocks> locks) {
            this.locks = locks;
        }

        @Override
        public boolean postProcessAfterInstantiation(Object bean, String beanName) {
            if (bean instanceof LockedObject object) {
                object.useHoldfastLocks(locks);
            }
            return true;
        }
    }
}
