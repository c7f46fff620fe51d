package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.spring.LockContext;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Results that are there when the method returns: the lock is held by the calling thread, as long as the body runs. */
final class ImmediateResults implements ResultHandling {

    private final Class<?> returnType;
    private final Supplier<@Nullable Object> skipped;

    ImmediateResults(Class<?> returnType) {
        this.returnType = returnType;
        this.skipped = EmptyResults.of(returnType);
    }

    @Override
    public @Nullable Object call(GuardedCall call, Entrance entrance) throws Throwable {
        Entry entry = entrance.enter(call);
        if (entry instanceof Refusal refusal) {
            return refusal.answer(call);
        }
        return run(call, (Admission) entry);
    }

    private static @Nullable Object run(GuardedCall call, Admission admission) throws Throwable {
        admission.keepForTransaction();
        Throwable failure = null;
        Object result = null;
        try (LockContext.Scope inside = admission.goInside()) {
            result = call.proceed(admission.lease());
        } catch (Throwable thrown) {
            failure = thrown;
        }
        failure = admission.giveBack(failure);
        if (failure != null) {
            throw failure;
        }
        return result;
    }

    @Override
    public @Nullable Object skipped() {
        return skipped.get();
    }

    @Override
    public boolean canSkip() {
        return EmptyResults.has(returnType);
    }

    @Override
    public boolean staysOnThread() {
        return true;
    }
}
