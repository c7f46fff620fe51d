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

/**
 * What the methods of a generated class call, and who holds the locks of a call: its proxy, or the method itself. It is public because the generated
 * class is in a package of the application.
 */
public final class LockedCalls {

    private static final CopyOnWriteArrayList<Supplier<MethodLocks>> RUNNING = new CopyOnWriteArrayList<>();

    private static final ThreadLocal<@Nullable ProxiedCall> PROXIED = new ThreadLocal<>();
    private static volatile boolean woven;

    private LockedCalls() {}

    /** The call from a proxy to its target. The target's method already runs under the proxy's locks and must not acquire them again. */
    private record ProxiedCall(Object target, Method method) {}

    /** Announces that code is woven, so that the calls of all objects are marked, and not only those of a {@link LockedObject}. */
    public static void weave() {
        woven = true;
    }

    /** Returns whether code is woven, which takes its locks on every object. */
    public static boolean isWoven() {
        return woven;
    }

    /** Returns whether the target's methods ask if they are called by a proxy. */
    public static boolean isKnownTo(Object target) {
        return woven || target instanceof LockedObject;
    }

    /** Returns the rest of a call for a proxy that holds its locks: the target's method does not acquire them again. */
    public static MethodBody fromProxy(Object target, Method method, MethodBody rest) {
        ProxiedCall call = new ProxiedCall(target, method);
        return arguments -> {
            PROXIED.set(call);
            try {
                return rest.proceed(arguments);
            } finally {
                PROXIED.remove();
            }
        };
    }

    /** Returns true, once, if this call comes from its proxy and therefore already runs under its locks. */
    public static boolean arrives(@Nullable Object target, Method method) {
        ProxiedCall current = PROXIED.get();
        boolean arrives = current != null && current.target == target && current.method.equals(method);
        if (arrives) {
            PROXIED.remove();
        }
        return arrives;
    }

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
        MethodBody rest = woven ? fromProxy(target, method, unlocked) : unlocked;
        if (arrives(target, method)) {
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
