package dev.holdfast.lock.spring.aspectj;

import dev.holdfast.lock.spring.method.LockedCalls;
import dev.holdfast.lock.spring.method.MethodLocks;
import java.lang.reflect.Method;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.reflect.MethodSignature;
import org.jspecify.annotations.Nullable;
import org.springframework.core.KotlinDetector;

/**
 * Acquires the locks of annotated methods inside the methods themselves, so that a call from within the same object is locked too. Works where
 * AspectJ's load-time weaver runs ({@code -javaagent:aspectjweaver.jar}). The weaver finds the aspect automatically. Proxies leave the locks of woven
 * methods to the methods.
 */
@Aspect
public final class DistributedLockAspect {

    /** Runs a woven method under its locks. */
    @Around("execution(@dev.holdfast.lock.spring.DistributedLock * *(..))"
            + " || execution(@dev.holdfast.lock.spring.DistributedLocks * *(..))"
            + " || execution(@(@dev.holdfast.lock.spring.DistributedLock *) * *(..))")
    public @Nullable Object lock(ProceedingJoinPoint call) throws Throwable {
        Method method = ((MethodSignature) call.getSignature()).getMethod();
        Object target = call.getTarget();
        // A woven suspending function returns to its caller in the middle of its work. Only proxies lock suspending
        // functions.
        if (KotlinDetector.isSuspendingFunction(method)) {
            return call.proceed();
        }
        MethodLocks locks = LockedCalls.locks(WeavingLink.creatorOf(target), method);
        Class<?> type = target == null ? method.getDeclaringClass() : target.getClass();
        return locks.call(method, type, target, call.getArgs(), arguments -> call.proceed(arguments));
    }
}
