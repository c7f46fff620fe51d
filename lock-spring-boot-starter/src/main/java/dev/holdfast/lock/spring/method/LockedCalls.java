package dev.holdfast.lock.spring.method;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.asm.Type;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** What the methods of a generated class call. It is public because that class is in a package of the application. */
public final class LockedCalls {

    private static final CopyOnWriteArrayList<Supplier<MethodLocks>> RUNNING = new CopyOnWriteArrayList<>();

    private LockedCalls() {}

    static void started(Supplier<MethodLocks> locks) {
        RUNNING.add(locks);
    }

    static void stopped(Supplier<MethodLocks> locks) {
        RUNNING.remove(locks);
    }

    /** Runs a method under its locks, unless its proxy already holds them. */
    public static @Nullable Object call(LockedObject target, Method method, int body, @Nullable Object[] arguments)
            throws Throwable {
        MethodBody unlocked = others -> target.holdfastBody(body, others);
        // The body may be woven.
        MethodBody rest =
                ProxiedCall.isWoven() ? others -> new ProxiedCall(target, method).proceed(unlocked, others) : unlocked;
        if (ProxiedCall.arrives(target, method)) {
            return rest.proceed(arguments);
        }
        Class<?> type = ClassUtils.getUserClass(target);
        return locks(target.holdfastLocks(), method).call(method, type, target, arguments, rest);
    }

    /** Returns the locks of the object's context. For an object without one, returns those of the context that started last. */
    public static MethodLocks locks(@Nullable Supplier<? extends MethodLocks> own, Method method) {
        Supplier<? extends MethodLocks> found =
                own == null ? RUNNING.stream().reduce(null, (earlier, later) -> later) : own;
        if (found == null) {
            throw new IllegalStateException("The call of " + method + " needs a lock, but no application context with"
                    + " locks is running. Start one, or exclude the class in the weaver's aop.xml if it is woven");
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
}
