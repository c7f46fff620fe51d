package dev.holdfast.lock.spring.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.OnBusy;
import dev.holdfast.lock.spring.fixture.Locked;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A call whose work goes on after it has returned. */
class StageResultsTest {

    private static final Duration PATIENCE = Await.PATIENCE;

    @AutoClose
    private static Locked app;

    private static Shop shop;

    @BeforeAll
    static void start() {
        app = Locked.application(Shop.class);
        shop = app.bean(Shop.class);
    }

    @Test
    void cancellationReachesTheWorkAndFreesTheLock() {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> paid = shop.pay("cancelled", work);
        paid.cancel(true);
        assertThat(work).isCancelled();
        Await.until("the lock is free", PATIENCE, () -> !app.isHeld("stage:cancelled"));
    }

    @Test
    void workThatCannotBeCancelledKeepsItsLock() {
        CompletableFuture<String> work = new CompletableFuture<>();
        shop.payAsStage("goes-on", work.minimalCompletionStage())
                .toCompletableFuture()
                .cancel(true);
        assertThat(app.isHeld("stage:goes-on")).isTrue();
        work.complete("paid");
        Await.until("the lock is free", PATIENCE, () -> !app.isHeld("stage:goes-on"));
    }

    @Test
    void lockIsFreeWhereTheBodyThrows() {
        assertThatIllegalStateException().isThrownBy(() -> shop.fail("throws")).withMessage("closed");
        assertThat(app.isHeld("stage:throws")).isFalse();
    }

    @Test
    void lockIsFreeWhereTheBodyReturnsNull() {
        assertThat(shop.pay("null", null)).isNull();
        assertThat(app.isHeld("stage:null")).isFalse();
    }

    @Test
    void skippedCallCompletesWithNull() throws Exception {
        try (Lease other = app.locks().getLock("stage-skipped").acquire()) {
            CompletableFuture<String> skipped = shop.skipped();
            assertThat(skipped.get(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isNull();
            assertThat(other.isHeld()).isTrue();
        }
    }

    @Test
    void skippedCallCompletesWithTheEmptyValueOfItsElement() throws Exception {
        try (Lease other = app.locks().getLock("stage-skipped").acquire()) {
            assertThat(shop.skippedOptional().get(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isEmpty();
            assertThat(shop.skippedList().toCompletableFuture().get(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isEmpty();
            assertThat(other.isHeld()).isTrue();
        }
    }

    @Test
    void busyLockIsThrownAtOnceAsByAnyMethod() {
        try (Lease other = app.locks().getLock("stage:busy").acquire()) {
            assertThatThrownBy(() -> shop.pay("busy", new CompletableFuture<>()))
                    .isInstanceOf(LockNotAcquiredException.class);
            assertThat(other.isHeld()).isTrue();
        }
    }

    @Test
    void callInsideAnotherKeepsTheLockUntilItsOwnWorkIsDone() {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> inner = shop.outer("nested", shop, work);
        assertThat(app.isHeld("stage:nested")).isTrue();
        work.complete("paid");
        assertThat(inner).succeedsWithin(PATIENCE).isEqualTo("paid");
        assertThat(app.isHeld("stage:nested")).isFalse();
    }

    static class Shop {

        @DistributedLock(name = "stage", key = "#key")
        public CompletableFuture<String> pay(String key, @Nullable CompletableFuture<String> work) {
            return work;
        }

        @DistributedLock(name = "stage", key = "#key")
        public CompletionStage<String> payAsStage(String key, CompletionStage<String> work) {
            return work;
        }

        @DistributedLock(name = "stage", key = "#key")
        public CompletableFuture<String> fail(String key) {
            throw new IllegalStateException("closed");
        }

        @DistributedLock(name = "stage-skipped", onBusy = OnBusy.SKIP)
        public CompletableFuture<String> skipped() {
            return CompletableFuture.completedFuture("not skipped");
        }

        @DistributedLock(name = "stage-skipped", onBusy = OnBusy.SKIP)
        public CompletableFuture<Optional<String>> skippedOptional() {
            return CompletableFuture.completedFuture(Optional.of("not skipped"));
        }

        @DistributedLock(name = "stage-skipped", onBusy = OnBusy.SKIP)
        public CompletionStage<? extends List<String>> skippedList() {
            return CompletableFuture.completedFuture(List.of("not skipped"));
        }

        /** Returns while the inner call's work goes on. */
        @DistributedLock(name = "stage", key = "#key")
        public void outerCall(
                String key, Shop proxy, CompletableFuture<String> work, List<CompletableFuture<String>> inner) {
            inner.add(proxy.pay(key, work));
        }

        CompletableFuture<String> outer(String key, Shop proxy, CompletableFuture<String> work) {
            List<CompletableFuture<String>> inner = new ArrayList<>();
            proxy.outerCall(key, proxy, work, inner);
            return inner.get(0);
        }
    }
}
