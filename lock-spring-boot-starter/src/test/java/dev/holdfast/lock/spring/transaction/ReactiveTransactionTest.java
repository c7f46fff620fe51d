package dev.holdfast.lock.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.fixture.Locked;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.reactive.AbstractReactiveTransactionManager;
import org.springframework.transaction.reactive.GenericReactiveTransaction;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.transaction.reactive.TransactionalOperator;
import reactor.core.publisher.Mono;

/** Locks and reactive transactions. The transaction manager has no database: it records when it commits. */
class ReactiveTransactionTest {

    private static final Duration PATIENCE = Await.PATIENCE;
    private static final List<String> LOG = new CopyOnWriteArrayList<>();

    @AutoClose
    private static Locked app;

    private static Shop shop;

    @BeforeAll
    static void start() {
        app = Locked.application(Shop.class);
        shop = app.bean(Shop.class);
    }

    private final TransactionalOperator transaction = TransactionalOperator.create(new Recorded());

    @BeforeEach
    void forget() {
        LOG.clear();
    }

    @Test
    void lockTakenInsideARunningTransactionIsKeptUntilItHasCommitted() {
        Mono<Boolean> held = shop.token("commit").then(Mono.fromSupplier(() -> app.isHeld("reactive-tx:commit")));
        assertThat(held.as(transaction::transactional).block(PATIENCE)).isTrue();
        assertThat(LOG).containsExactly("commit while held: true");
        assertThat(app.isHeld("reactive-tx:commit")).isFalse();
    }

    @Test
    void lockIsFreeAfterARollback() {
        Mono<Object> failing = shop.token("rollback").then(Mono.error(new IllegalStateException("no stock")));
        assertThatThrownBy(() -> failing.as(transaction::transactional).block(PATIENCE))
                .hasMessage("no stock");
        assertThat(LOG).containsExactly("rollback while held: true");
        assertThat(app.isHeld("reactive-tx:rollback")).isFalse();
    }

    @Test
    void laterCallInTheSameTransactionReenters() {
        Mono<Boolean> same =
                shop.token("again").flatMap(first -> shop.token("again").map(first::equals));
        assertThat(same.as(transaction::transactional).block(PATIENCE)).isTrue();
        assertThat(app.isHeld("reactive-tx:again")).isFalse();
    }

    @Test
    void lossBeforeTheCommitRollsBack() {
        Mono<Object> lost = shop.token("lost").then(Mono.fromRunnable(() -> {
            app.locks().forceRelease("reactive-tx:lost");
            // The client finds out, here at once and otherwise at its next renewal.
            shop.verify();
        }));
        assertThatThrownBy(() -> lost.as(transaction::transactional).block(PATIENCE))
                .isInstanceOf(LeaseLostException.class);
        assertThat(LOG).containsExactly("rollback while held: false");
    }

    @Test
    void attributeTurnsItOff() {
        Mono<Boolean> held = shop.free().then(Mono.fromSupplier(() -> app.isHeld("reactive-tx-free")));
        assertThat(held.as(transaction::transactional).block(PATIENCE)).isFalse();
    }

    @Test
    void callWithoutATransactionKeepsNothing() {
        shop.token("none").block(PATIENCE);
        assertThat(app.isHeld("reactive-tx:none")).isFalse();
    }

    static class Shop {
        private dev.holdfast.lock.@Nullable Lease last;

        @DistributedLock(name = "reactive-tx", key = "#item")
        public Mono<Long> token(String item) {
            last = dev.holdfast.lock.spring.LockContext.current();
            return Mono.just(last.fencingToken());
        }

        public void verify() {
            assertThat(last.verify()).isFalse();
        }

        @DistributedLock(name = "reactive-tx-free", releaseAfterTransaction = false)
        public Mono<String> free() {
            return Mono.just("done");
        }
    }

    private static final class Recorded extends AbstractReactiveTransactionManager {
        private static final long serialVersionUID = 1L;

        @Override
        protected Object doGetTransaction(TransactionSynchronizationManager synchronization) {
            return new Object();
        }

        @Override
        protected Mono<Void> doBegin(
                TransactionSynchronizationManager synchronization,
                Object transaction,
                TransactionDefinition definition) {
            return Mono.empty();
        }

        @Override
        protected Mono<Void> doCommit(
                TransactionSynchronizationManager synchronization, GenericReactiveTransaction status) {
            return record("commit");
        }

        @Override
        protected Mono<Void> doRollback(
                TransactionSynchronizationManager synchronization, GenericReactiveTransaction status) {
            return record("rollback");
        }

        private static Mono<Void> record(String what) {
            return Mono.fromRunnable(() ->
                    LOG.add(what + " while held: " + !app.locks().heldLocks().isEmpty()));
        }
    }
}
