package dev.holdfast.lock.spring.transaction;

import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.spring.call.AroundLock.HeldLock;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/** Releases locks after their reactive transaction. {@link TransactionRelease} does the same for a transaction that is bound to a thread. */
final class ReactiveTransactionRelease implements TransactionSynchronization, Ordered {

    private final Deque<HeldLock> locks = new ConcurrentLinkedDeque<>();

    /** Keeps the lock of a call until its subscriber's transaction has completed, if there is one. */
    static void keep(HeldLock lock, ContextView context) {
        TransactionSynchronizationManager transaction = transaction(context);
        if (transaction != null && transaction.isActualTransactionActive() && lock.share()) {
            ofTransaction(transaction).locks.push(lock);
        }
    }

    /** Returns what the transaction of a subscriber keeps, the lock that was acquired last first. */
    static List<HeldLock> kept(ContextView context) {
        TransactionSynchronizationManager transaction = transaction(context);
        ReactiveTransactionRelease release = transaction == null ? null : find(transaction);
        return release == null ? List.of() : List.copyOf(release.locks);
    }

    private static @Nullable TransactionSynchronizationManager transaction(ContextView context) {
        // The future is complete at once, because the operator only reads the context.
        TransactionSynchronizationManager found = TransactionSynchronizationManager.forCurrentTransaction()
                .contextWrite(context)
                .onErrorComplete()
                .toFuture()
                .getNow(null);
        return found == null || !found.isSynchronizationActive() ? null : found;
    }

    private static @Nullable ReactiveTransactionRelease find(TransactionSynchronizationManager transaction) {
        return (ReactiveTransactionRelease) transaction.getSynchronizations().stream()
                .filter(ReactiveTransactionRelease.class::isInstance)
                .findFirst()
                .orElse(null);
    }

    private static ReactiveTransactionRelease ofTransaction(TransactionSynchronizationManager transaction) {
        ReactiveTransactionRelease known = find(transaction);
        if (known != null) {
            return known;
        }
        ReactiveTransactionRelease release = new ReactiveTransactionRelease();
        transaction.registerSynchronization(release);
        return release;
    }

    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE;
    }

    @Override
    public Mono<Void> beforeCommit(boolean readOnly) {
        return Mono.fromRunnable(() -> {
            for (HeldLock lock : locks) {
                LeaseLostException lost = lock.loss();
                if (lost != null) {
                    throw lost;
                }
            }
        });
    }

    @Override
    public Mono<Void> afterCompletion(int status) {
        return Flux.fromIterable(locks)
                .concatMap(lock -> Mono.fromFuture(lock.release(status != STATUS_COMMITTED, false)))
                .then();
    }
}
