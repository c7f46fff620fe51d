package dev.holdfast.lock.spring.method;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.Aware;

/**
 * An object whose annotated methods take their locks for every caller. Generated classes implement it. It is public because they are in the packages
 * of the application, and it is an {@link Aware} because Spring then makes no proxy that offers nothing else.
 */
public interface LockedObject extends Aware {

    /** Runs the body of an annotated method without its lock. */
    @Nullable
    Object holdfastBody(int method, @Nullable Object[] arguments) throws Throwable;

    /** Returns the locks of the context that created this object; null while its constructor runs, and if it was not created by a context. */
    @Nullable
    Supplier<MethodLocks> holdfastLocks();

    void useHoldfastLocks(Supplier<MethodLocks> locks);
}
