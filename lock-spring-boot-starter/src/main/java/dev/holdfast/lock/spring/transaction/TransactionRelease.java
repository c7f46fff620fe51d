package dev.holdfast.lock.spring.transaction;

import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.spring.call.AroundLock.HeldLock;
import dev.holdfast.lock.spring.call.RateLimitedLog;
import java.util.ArrayDeque;
import java.util.Deque;
import org.apache.commons.logging.LogFactory;
import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Releases the locks of a transaction after it has completed, because the next holder must see its writes. A lost lock fails the commit, unless the
 * policy is to report the loss only.
 */
final class TransactionRelease implements TransactionSynchronization {

    private static final RateLimitedLog LOG = new RateLimitedLog(LogFactory.getLog(TransactionRelease.class));
    private static final int MANY = 100;

    private final Deque<HeldLock> locks = new ArrayDeque<>();

    static void keep(HeldLock lock) {
        if (TransactionSynchronizationManager.isActualTransactionActive()
                && TransactionSynchronizationManager.isSynchronizationActive()
                && lock.share()) {
            // The thread's context keeps the lock until the transaction completes, not only until the call returns.
            lock.keepOnThread();
            ofTransaction().add(lock);
        }
    }

    private static TransactionRelease ofTransaction() {
        for (TransactionSynchronization known : TransactionSynchronizationManager.getSynchronizations()) {
            if (known instanceof TransactionRelease release) {
                return release;
            }
        }
        TransactionRelease release = new TransactionRelease();
        TransactionSynchronizationManager.registerSynchronization(release);
        return release;
    }

    private void add(HeldLock lock) {
        locks.push(lock);
        if (locks.size() == MANY + 1) {
            LOG.warn("A transaction keeps more than " + MANY + " locks until it completes, the last one of "
                    + lock.operation().signature() + ". Each is a lease that is renewed, and transactions"
                    + " that acquire the same locks in different orders wait for each other."
                    + " Use 'keys', or a lock that covers all of them");
        }
    }

    /** Runs after all other synchronizations, so that their work with connections and events is done under the locks. */
    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE;
    }

    @Override
    public void beforeCommit(boolean readOnly) {
        for (HeldLock lock : locks) {
            LeaseLostException lost = lock.isHeld() ? null : lock.loss();
            if (lost != null) {
                throw lost;
            }
        }
    }

    @Override
    public void afterCompletion(int status) {
        for (HeldLock lock : locks) {
            lock.leaveThread();
            lock.release(status != STATUS_COMMITTED, true);
        }
    }
}
