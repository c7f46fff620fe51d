package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.spring.InvalidLockDeclarationException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.ProxyProcessorSupport;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;

/** Refuses annotated methods that a proxy cannot intercept: they would run without their locks. */
final class ProxyabilityCheck {

    private static final String OPEN =
            "Take 'final' away; in Kotlin declare the class and the function 'open', or use the plugin kotlin-spring";

    private final Class<?> type;
    private final boolean bySubclass;

    ProxyabilityCheck(ConfigurableListableBeanFactory beans, String beanName, Class<?> type) {
        this.type = type;
        this.bySubclass = !type.isInterface() && (proxiesClasses(beans, beanName) || !hasInterfaces(type));
    }

    private static boolean proxiesClasses(ConfigurableListableBeanFactory beans, String beanName) {
        return AutoProxyUtils.shouldProxyTargetClass(beans, beanName)
                || (beans.getBean(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME) instanceof ProxyProcessorSupport creator
                        && creator.isProxyTargetClass());
    }

    private static boolean hasInterfaces(Class<?> type) {
        return Arrays.stream(ClassUtils.getAllInterfacesForClass(type))
                .anyMatch(
                        each -> each.getMethods().length > 0 && !each.getName().startsWith("org.springframework."));
    }

    void check(Method method) {
        int modifiers = method.getModifiers();
        if (Modifier.isStatic(modifiers)) {
            throw invalid(
                    method, "a static method has no proxy", "Make it a bean's method, or use the LockClient in it");
        }
        if (Modifier.isPrivate(modifiers)) {
            throw invalid(
                    method, "a proxy does not see private methods", "Make it public, or use the LockClient in it");
        }
        if (!bySubclass) {
            checkIsOffered(method);
        } else if (Modifier.isFinal(type.getModifiers())) {
            throw invalid(
                    method,
                    "the class " + type.getName() + " is final and cannot be proxied",
                    OPEN + ", or use the LockClient in it");
        } else if (Modifier.isFinal(modifiers)) {
            throw invalid(
                    method,
                    "a proxy cannot override a final method, which would run unlocked, on a bean without its fields",
                    OPEN);
        }
    }

    /** A proxy that implements interfaces offers only what they have; with type parameters, under other parameter types. */
    private void checkIsOffered(Method method) {
        boolean offered = type.isInterface()
                || Arrays.stream(ClassUtils.getAllInterfacesForClass(type))
                        .flatMap(each -> Arrays.stream(each.getMethods()))
                        .anyMatch(each -> each.getName().equals(method.getName())
                                && each.getParameterCount() == method.getParameterCount());
        if (!offered) {
            throw invalid(
                    method,
                    "the bean's proxy offers its interfaces only, and none of them has this method",
                    "Declare it in an interface, or set spring.aop.proxy-target-class to true");
        }
    }

    private static InvalidLockDeclarationException invalid(Method method, String problem, String action) {
        return LockOperation.invalid(method, problem, action);
    }
}
