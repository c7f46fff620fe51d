package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.LeaseLostException;
import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Keeps a lock that was taken inside a running transaction until that transaction has completed: given back earlier, the next holder would
 * read what this one has not committed yet. A lease that is lost before the commit fails the commit, where a loss is to throw.
 */
final class TransactionEnd implements TransactionSynchronization {

    private final Stay stay;

    private TransactionEnd(Stay stay) {
        this.stay = stay;
    }

    /** Keeps what the call took, if this thread is inside a transaction. */
    static void keep(Stay stay) {
        if (stay.own()
                && stay.request().operation().releaseAfterTransaction()
                && TransactionSynchronizationManager.isActualTransactionActive()
                && TransactionSynchronizationManager.isSynchronizationActive()
                && stay.hold().share()) {
            stay.hold().keepForTransaction();
            TransactionSynchronizationManager.registerSynchronization(new TransactionEnd(stay));
        }
    }

    /** After everybody else: connections that are given back, events that are published, are still under the lock. */
    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE;
    }

    @Override
    public void beforeCommit(boolean readOnly) {
        if (!stay.hold().lease().isHeld()) {
            LeaseLostException lost = stay.ended();
            if (lost != null) {
                throw lost;
            }
        }
    }

    @Override
    public void afterCompletion(int status) {
        Holds.leave(stay.hold());
        stay.giveBack();
    }
}
