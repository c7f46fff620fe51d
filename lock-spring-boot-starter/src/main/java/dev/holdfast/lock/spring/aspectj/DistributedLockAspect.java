package dev.holdfast.lock.spring.aspectj;

import dev.holdfast.lock.spring.interceptor.LockGuard;
import dev.holdfast.lock.spring.interceptor.ProxiedCall;
import java.lang.reflect.Method;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.reflect.MethodSignature;
import org.jspecify.annotations.Nullable;

/**
 * Takes the locks of annotated methods inside the methods themselves, so that a call from within the same object is locked too. Works where
 * AspectJ's load-time weaver runs ({@code -javaagent:aspectjweaver.jar}); the weaver finds the aspect by itself. A call that came through a
 * proxy is left to the proxy's locks.
 */
@Aspect
public final class DistributedLockAspect {

    private static volatile @Nullable LockGuard guard;

    /** Made by the weaver. */
    public DistributedLockAspect() {}

    /** The application's locks are these from now on. */
    static void use(LockGuard started) {
        guard = started;
        ProxiedCall.note();
    }

    /** That application has stopped. */
    static void forget(LockGuard stopped) {
        if (guard == stopped) {
            guard = null;
        }
    }

    /**
     * Runs a woven method under its locks.
     *
     * @param call the call
     * @return what its caller gets
     * @throws Throwable what the body throws, or what became of the locks
     */
    @Around("execution(@dev.holdfast.lock.spring.DistributedLock * *(..))"
            + " || execution(@dev.holdfast.lock.spring.DistributedLocks * *(..))"
            + " || execution(@(@dev.holdfast.lock.spring.DistributedLock *) * *(..))"
            + " || execution(public !static * (@dev.holdfast.lock.spring.DistributedLock *).*(..))"
            + " || execution(public !static * (@dev.holdfast.lock.spring.DistributedLocks *).*(..))"
            + " || execution(public !static * (@(@dev.holdfast.lock.spring.DistributedLock *) *).*(..))")
    public @Nullable Object lock(ProceedingJoinPoint call) throws Throwable {
        Method method = ((MethodSignature) call.getSignature()).getMethod();
        Object target = call.getTarget();
        if (ProxiedCall.arrives(target, method)) {
            return call.proceed();
        }
        LockGuard locks = guard;
        if (locks == null) {
            throw new IllegalStateException(
                    "The call of " + method + " is to run under a lock, but no application context"
                            + " with locks is running. Start one, or leave the class out of the weaver's aop.xml");
        }
        Class<?> type = target == null ? method.getDeclaringClass() : target.getClass();
        return locks.call(method, type, target, call.getArgs(), arguments -> call.proceed(arguments));
    }
}
