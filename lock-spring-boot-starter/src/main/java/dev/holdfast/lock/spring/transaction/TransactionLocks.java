package dev.holdfast.lock.spring.transaction;

import dev.holdfast.lock.spring.call.AroundLock;
import dev.holdfast.lock.spring.call.AroundLock.HeldLock;
import dev.holdfast.lock.spring.call.AroundLock.LockCall;
import dev.holdfast.lock.spring.call.LockFeature;
import dev.holdfast.lock.spring.declaration.LockOperation;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;
import reactor.util.context.ContextView;

/**
 * Keeps a lock until the transaction around its call has completed.
 *
 * @param keeps whether the annotation says so
 */
public record TransactionLocks(boolean keeps) implements LockFeature {

    private static final String ATTRIBUTE = "releaseAfterTransaction";

    private static final boolean TRANSACTIONS = ClassUtils.isPresent(
            "org.springframework.transaction.support.TransactionSynchronization",
            TransactionLocks.class.getClassLoader());

    private static final AroundLock OF_THREAD = new AroundLock() {
        @Override
        public void beforeMethod(HeldLock lock) {
            TransactionRelease.keep(lock);
        }
    };

    public static LockFeature feature(LockOperation operation) {
        return new TransactionLocks(operation.annotation().is(ATTRIBUTE));
    }

    @Override
    public @Nullable AroundLock around(LockCall call) {
        if (!keeps || !TRANSACTIONS) {
            return null;
        }
        Object context = call.context();
        if (context != null) {
            return new AroundLock() {
                @Override
                public void beforeMethod(HeldLock lock) {
                    ReactiveTransactionRelease.keep(lock, (ContextView) context);
                }
            };
        }
        return TransactionSynchronizationManager.isActualTransactionActive() ? OF_THREAD : null;
    }

    /** A call whose own lock is not kept still runs under what its transaction keeps. */
    @Override
    public List<HeldLock> kept(Object context) {
        return TRANSACTIONS ? ReactiveTransactionRelease.kept((ContextView) context) : List.of();
    }

    @Override
    public @Nullable String trait() {
        return keeps ? null : ATTRIBUTE + " false";
    }
}
