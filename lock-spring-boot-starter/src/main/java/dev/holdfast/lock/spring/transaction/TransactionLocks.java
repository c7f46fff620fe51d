package dev.holdfast.lock.spring.transaction;

import dev.holdfast.lock.spring.call.AroundLock;
import dev.holdfast.lock.spring.call.AroundOperation;
import dev.holdfast.lock.spring.call.LockFeature;
import dev.holdfast.lock.spring.declaration.LockOperation;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;
import reactor.util.context.ContextView;

/** Keeps a lock until the transaction around its call has completed, if its annotation says so. */
final class TransactionLocks implements LockFeature, AroundOperation {

    private static final String ATTRIBUTE = "releaseAfterTransaction";
    private static final boolean TRANSACTIONS = ClassUtils.isPresent(
            "org.springframework.transaction.support.TransactionSynchronization",
            TransactionLocks.class.getClassLoader());
    private static final AroundOperation NOT_KEPT = new NotKept();
    private static final AroundLock OF_THREAD = new OfThread();

    @Override
    public Set<String> attributes() {
        return Set.of(ATTRIBUTE);
    }

    @Override
    public @Nullable AroundOperation of(LockOperation operation) {
        if (operation.annotation().is(ATTRIBUTE)) {
            return TRANSACTIONS ? this : null;
        }
        return NOT_KEPT;
    }

    @Override
    public @Nullable AroundLock around(AroundLock.LockCall call) {
        if (call.context() != null) {
            return new OfSubscriber(call.context());
        }
        return TransactionSynchronizationManager.isActualTransactionActive() ? OF_THREAD : null;
    }

    @Override
    public List<AroundLock.HeldLock> kept(Object context) {
        return TRANSACTIONS ? ReactiveTransactionRelease.kept((ContextView) context) : List.of();
    }

    private record NotKept() implements AroundOperation {
        @Override
        public @Nullable AroundLock around(AroundLock.LockCall call) {
            return null;
        }

        @Override
        public String trait() {
            return ATTRIBUTE + " false";
        }
    }

    private record OfThread() implements AroundLock {
        @Override
        public void beforeMethod(AroundLock.HeldLock lock) {
            TransactionRelease.keep(lock);
        }
    }

    private record OfSubscriber(Object context) implements AroundLock {
        @Override
        public void beforeMethod(AroundLock.HeldLock lock) {
            ReactiveTransactionRelease.keep(lock, (ContextView) context);
        }
    }
}
