package dev.holdfast.lock.spring.method;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.asm.Type;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** What the methods of a generated class call. It is public because the generated class is in a package of the application. */
public final class LockedCalls {

    private static final CopyOnWriteArrayList<ContextLocks> RUNNING = new CopyOnWriteArrayList<>();

    private static volatile Predicate<Method> woven = method -> false;

    private LockedCalls() {}

    /** Says which object the field of a generated class is in, and whose locks it uses. A copy of the object has the same field. */
    public record Owner(Object object, ContextLocks locks) {}

    /** The locks of a context, which are looked up at the first call, because the beans that they need do not exist earlier. */
    public static final class ContextLocks implements Supplier<MethodLocks> {
        private final Supplier<? extends MethodLocks> locks;
        private volatile boolean closed;

        ContextLocks(Supplier<? extends MethodLocks> locks) {
            this.locks = locks;
        }

        @Override
        public MethodLocks get() {
            return locks.get();
        }

        void close() {
            closed = true;
        }
    }

    /** Announces that code is woven, and which methods take their locks themselves for that reason. */
    public static void weave(Predicate<Method> methods) {
        woven = methods;
    }

    /** Returns whether the method takes its locks for every caller, because it is woven. Proxies step aside. */
    public static boolean isWoven(Method method) {
        return woven.test(method);
    }

    static void started(ContextLocks locks) {
        RUNNING.add(locks);
    }

    static void stopped(ContextLocks locks) {
        locks.close();
        RUNNING.remove(locks);
    }

    /** Runs a method under its locks. A call that comes through the proxy does not come here, because the proxy calls the body. */
    public static @Nullable Object call(
            Object target, @Nullable Owner owner, Method method, Method body, @Nullable Object[] arguments)
            throws Throwable {
        return locks(owner == null ? null : owner.locks(), method)
                .call(method, ClassUtils.getUserClass(target), target, arguments, others -> run(body, target, others));
    }

    static @Nullable Object run(Method body, Object target, @Nullable Object[] arguments) throws Throwable {
        try {
            ReflectionUtils.makeAccessible(body);
            return body.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }

    /** Returns the locks of the object's context. For an object without one, returns those of the context that started last. */
    public static MethodLocks locks(@Nullable Supplier<? extends MethodLocks> own, Method method) {
        Supplier<? extends MethodLocks> found =
                own == null ? RUNNING.stream().reduce(null, (earlier, later) -> later) : own;
        if (found == null) {
            throw new IllegalStateException("The call of " + method
                    + " needs a lock, but no application context with locks is running. Start one, or exclude the class in"
                    + " the weaver's aop.xml if it is woven");
        }
        if (found instanceof ContextLocks context && context.closed) {
            throw new IllegalStateException(
                    "The call of " + method
                            + " needs a lock, but the application context of its object has been closed. The method was not run");
        }
        return found.get();
    }

    /** Finds a method of a class or of its supertypes by its name and descriptor. */
    public static Method method(Class<?> type, String name, String descriptor) {
        return Stream.concat(Stream.of(type), Stream.of(ClassUtils.getAllInterfacesForClass(type)))
                .flatMap(each -> Arrays.stream(ReflectionUtils.getAllDeclaredMethods(each)))
                .filter(method -> method.getName().equals(name)
                        && Type.getMethodDescriptor(method).equals(descriptor)
                        && !method.isBridge())
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(type.getName() + " has no method " + name + descriptor));
    }

    /** Finds the method of a generated class that runs the body of another one. */
    public static Method body(Class<?> generated, String name, Method method) {
        return ClassUtils.getMethod(generated, name, method.getParameterTypes());
    }
}
