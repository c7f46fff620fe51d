package dev.holdfast.lock.test.spring;

import dev.holdfast.lock.spring.method.LockedSubclass;
import java.lang.invoke.MethodType;
import java.lang.invoke.SerializedLambda;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Checks that methods of beans acquire their locks, without calling the methods: {@code assertLocked(payments::pay)}. The bean, or its proxy,
 * must acquire the lock of this method.
 */
public final class LockedMethods {

    private LockedMethods() {}

    /** Fails if a call of this bean's method would not acquire a lock. */
    public static void assertLocked(MethodCall.Of0 method) {
        check(method);
    }

    /** Fails if a call of this bean's method would not acquire a lock. */
    public static <A> void assertLocked(MethodCall.Of1<A> method) {
        check(method);
    }

    /** Fails if a call of this bean's method would not acquire a lock. */
    public static <A, B> void assertLocked(MethodCall.Of2<A, B> method) {
        check(method);
    }

    /** Fails if a call of this bean's method would not acquire a lock. */
    public static <A, B, C> void assertLocked(MethodCall.Of3<A, B, C> method) {
        check(method);
    }

    /** Fails if a call of this bean's method would not acquire a lock. */
    public static <A, B, C, D> void assertLocked(MethodCall.Of4<A, B, C, D> method) {
        check(method);
    }

    /**
     * Fails if a call of this bean's method would not acquire a lock. Use it in languages whose method references differ from Java's, such as Kotlin:
     * {@code assertLocked(payments, "pay")}.
     *
     * @param bean the bean
     * @param methodName the name of a method of the bean's class that is not overloaded
     */
    public static void assertLocked(Object bean, String methodName) {
        Class<?> type = ClassUtils.getUserClass(AopUtils.getTargetClass(bean));
        List<Method> methods = Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(type))
                .filter(method -> method.getName().equals(methodName) && !method.isSynthetic())
                .toList();
        if (methods.size() != 1) {
            throw new IllegalArgumentException(
                    type.getName() + " has " + methods.size() + " methods of the name " + methodName);
        }
        check(bean, methods.get(0));
    }

    private static void check(MethodCall call) {
        SerializedLambda reference = serialized(call);
        if (reference.getCapturedArgCount() != 1
                || reference.getImplMethodName().startsWith("lambda$")) {
            throw new IllegalArgumentException("A reference to a method of a bean is needed, such as payments::pay");
        }
        Object bean = reference.getCapturedArg(0);
        check(bean, method(reference, bean.getClass().getClassLoader()));
    }

    private static void check(Object bean, Method method) {
        String name = ClassUtils.getUserClass(AopUtils.getTargetClass(bean)).getName() + "." + method.getName();
        if (!AopUtils.isAopProxy(bean) && !LockedSubclass.isGenerated(bean.getClass())) {
            throw new AssertionError(
                    name + " takes no lock: the object has no proxy. It was created by the test or replaced by"
                            + " a mock, or no method of its class declares a lock");
        }
        List<String> steps = AdviceChain.of(bean, method);
        if (!steps.contains(AdviceChain.LOCK)) {
            throw new AssertionError(name + " takes no lock. Around it run: "
                    + (steps.isEmpty() ? "nothing" : String.join(", ", steps)));
        }
    }

    private static SerializedLambda serialized(MethodCall call) {
        Method replace = ReflectionUtils.findMethod(call.getClass(), "writeReplace");
        if (replace == null) {
            throw new IllegalArgumentException("A method reference is needed, such as payments::pay");
        }
        ReflectionUtils.makeAccessible(replace);
        if (ReflectionUtils.invokeMethod(replace, call) instanceof SerializedLambda reference) {
            return reference;
        }
        throw new IllegalArgumentException("A method reference is needed, such as payments::pay");
    }

    private static Method method(SerializedLambda reference, ClassLoader loader) {
        Class<?> type = ClassUtils.resolveClassName(
                ClassUtils.convertResourcePathToClassName(reference.getImplClass()), loader);
        Class<?>[] parameters = MethodType.fromMethodDescriptorString(reference.getImplMethodSignature(), loader)
                .parameterArray();
        Method method = ReflectionUtils.findMethod(type, reference.getImplMethodName(), parameters);
        if (method == null) {
            throw new IllegalStateException(reference.getImplMethodName() + " is no method of " + type);
        }
        return method;
    }
}
