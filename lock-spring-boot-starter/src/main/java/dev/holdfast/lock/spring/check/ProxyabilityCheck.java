package dev.holdfast.lock.spring.check;

import dev.holdfast.lock.spring.declaration.Declaration;
import dev.holdfast.lock.spring.method.SubclassedBeans;
import java.io.Closeable;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.ProxyProcessorSupport;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.Aware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.cglib.proxy.Enhancer;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Refuses annotated methods that neither a subclass nor a proxy can intercept. They would run without their locks. */
record ProxyabilityCheck(Class<?> type, boolean bySubclass) {

    private static final String OPEN =
            "Take 'final' away; in Kotlin declare the class and the function 'open', or use the plugin kotlin-spring";

    private static final List<Class<?>> CALLBACKS =
            List.of(InitializingBean.class, DisposableBean.class, Closeable.class, AutoCloseable.class);

    /** Creates the check of a bean that has a proxy. The object behind it does not take locks itself. */
    static ProxyabilityCheck of(ConfigurableListableBeanFactory beans, String beanName, Class<?> type) {
        boolean proxiesClasses = AutoProxyUtils.shouldProxyTargetClass(beans, beanName)
                || (!exposesInterfaces(beans, beanName)
                        && beans.getBean(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME)
                                instanceof ProxyProcessorSupport creator
                        && creator.isProxyTargetClass());
        boolean hasInterfaces =
                Arrays.stream(ClassUtils.getAllInterfacesForClass(type)).anyMatch(ProxyabilityCheck::isForProxies);
        return new ProxyabilityCheck(type, !type.isInterface() && (proxiesClasses || !hasInterfaces));
    }

    /** Returns whether Spring would proxy an object by this interface alone. {@code ProxyProcessorSupport} decides in the same way. */
    private static boolean isForProxies(Class<?> one) {
        return one.getMethods().length > 0
                && !CALLBACKS.contains(one)
                && !Arrays.asList(one.getInterfaces()).contains(Aware.class);
    }

    /** Returns whether {@code @Proxyable} asks for interfaces. It overrides the application's default. */
    private static boolean exposesInterfaces(ConfigurableListableBeanFactory beans, String beanName) {
        return beans.containsBeanDefinition(beanName)
                && beans.getBeanDefinition(beanName).hasAttribute(AutoProxyUtils.EXPOSED_INTERFACES_ATTRIBUTE);
    }

    void check(Method method) {
        SubclassedBeans.checkIsCreatedLate(method, type);
        int modifiers = method.getModifiers();
        if (Modifier.isStatic(modifiers)) {
            throw Declaration.invalid(
                    method,
                    "a static method belongs to no bean",
                    "Make it a bean's method, or use the LockClient in it");
        }
        if (Modifier.isPrivate(modifiers)) {
            throw Declaration.invalid(
                    method, "nothing can intercept a private method", "Make it public, or use the LockClient in it");
        }
        if (ReflectionUtils.isHashCodeMethod(method) || ReflectionUtils.isEqualsMethod(method)) {
            throw Declaration.invalid(
                    method, "Spring's proxies answer it themselves", "Use the LockClient in it, or lock its callers");
        }
        if (!bySubclass && !isOffered(method)) {
            throw Declaration.invalid(
                    method,
                    "the bean's proxy offers its interfaces only, and none of them has this method",
                    "Declare it in an interface, or set spring.aop.proxy-target-class to true");
        }
        if (!SubclassedBeans.isVisible(method, type)) {
            throw Declaration.invalid(
                    method,
                    "it is package-private and in another package than " + type.getName()
                            + ", so that no subclass of that class can override it",
                    "Make it protected or public");
        }
        if (bySubclass && Modifier.isFinal(type.getModifiers())) {
            throw Declaration.invalid(
                    method,
                    "the class " + type.getName() + " is final and cannot be proxied",
                    OPEN + ", or use the LockClient in it");
        }
        if (bySubclass && type.isSealed()) {
            throw Declaration.invalid(
                    method,
                    "the class " + type.getName() + " is sealed, and Spring cannot create a subclass of it",
                    "Make it non-sealed, or declare the method in an interface and annotate the bean with"
                            + " @Proxyable(INTERFACES)");
        }
        if (bySubclass && SubclassedBeans.hasHiddenConstructors(type)) {
            throw Declaration.invalid(
                    method,
                    "the class " + type.getName()
                            + " has private constructors only, and Spring cannot create a subclass of it",
                    "Make a constructor package-private, or declare the method in an interface and annotate the bean"
                            + " with @Proxyable(INTERFACES)");
        }
        if (bySubclass && !type.getModule().isOpen(type.getPackageName(), Enhancer.class.getModule())) {
            throw Declaration.invalid(
                    method,
                    "the package " + type.getPackageName() + " of " + type.getModule()
                            + " is not open to Spring, which cannot create a subclass in it",
                    "Open it in the module's descriptor, or declare the method in an interface and annotate the bean"
                            + " with @Proxyable(INTERFACES)");
        }
        if (bySubclass && Modifier.isFinal(modifiers)) {
            throw Declaration.invalid(
                    method, "a subclass cannot override a final method, which would run unlocked", OPEN);
        }
    }

    /**
     * Returns whether a proxy that implements interfaces has this method. Compares only names and numbers of parameters, because generic interfaces
     * declare other parameter types.
     */
    private boolean isOffered(Method method) {
        return type.isInterface()
                || Arrays.stream(ClassUtils.getAllInterfacesForClass(type))
                        .flatMap(each -> Arrays.stream(each.getMethods()))
                        .anyMatch(each -> each.getName().equals(method.getName())
                                && each.getParameterCount() == method.getParameterCount());
    }
}
