package dev.holdfast.lock.spring.transaction;

import dev.holdfast.lock.spring.call.AcquiredLock;
import dev.holdfast.lock.spring.call.LockKeeper;
import dev.holdfast.lock.spring.call.SharedLease;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.util.context.ContextView;

/** Keeps a lock until the transaction around its call has completed. */
final class TransactionKeeper implements LockKeeper {

    @Override
    public void keep(AcquiredLock lock, @Nullable Object context) {
        if (context == null) {
            TransactionRelease.keep(lock);
        } else {
            ReactiveTransactionRelease.keep(lock, (ContextView) context);
        }
    }

    @Override
    public List<SharedLease> kept(Object context) {
        return ReactiveTransactionRelease.kept((ContextView) context);
    }
}
