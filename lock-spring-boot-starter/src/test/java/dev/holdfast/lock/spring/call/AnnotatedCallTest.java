package dev.holdfast.lock.spring.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.fixture.Locked;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A call that returns when its work is done. */
class AnnotatedCallTest {

    @AutoClose
    private static Locked app;

    private static Shop shop;

    @BeforeAll
    static void start() {
        app = Locked.application(Shop.class);
        shop = app.bean(Shop.class);
    }

    @Test
    void lockIsHeldWhileTheBodyRunsAndFreeAfterwards() {
        assertThat(shop.isHeld(app, "held")).isTrue();
        assertThat(app.isHeld("shop:held")).isFalse();
    }

    @Test
    void lockIsFreeAfterTheBodyThrew() {
        assertThatIllegalStateException().isThrownBy(() -> shop.fail("thrown")).withMessage("no stock");
        assertThat(app.isHeld("shop:thrown")).isFalse();
    }

    @Test
    void callsOfOneKeyExcludeEachOther() {
        try (Lease other = app.locks().getLock("shop:busy").acquire()) {
            assertThatThrownBy(() -> shop.isHeld(app, "busy"))
                    .isInstanceOf(LockNotAcquiredException.class)
                    .hasMessageContaining("shop:busy");
            assertThat(other.isHeld()).isTrue();
        }
    }

    @Test
    void callWaitsForTheLock() throws Exception {
        Lease other = app.locks().getLock("shop:waited").acquire();
        CompletableFuture<Boolean> call = CompletableFuture.supplyAsync(() -> shop.isHeldAfterAWait(app, "waited"));
        Await.until("it waits", Await.PATIENCE, () -> app.locks().statistics().waiting() == 1);
        assertThat(call).isNotDone();
        other.close();
        assertThat(call.get(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void contextGivesTheLease() {
        Lease lease = shop.lease("context");
        assertThat(lease.lockName()).isEqualTo("shop:context");
        assertThat(lease.fencingToken()).isPositive();
        assertThat(lease.isHeld()).isFalse();
        assertThatThrownBy(lease::assertHeld)
                .isInstanceOf(IllegalMonitorStateException.class)
                .hasMessageContaining("already released");
    }

    @Test
    void contextIsEmptyOutside() {
        shop.lease("context");
        assertThat(LockContext.find()).isEmpty();
        assertThatIllegalStateException()
                .isThrownBy(LockContext::current)
                .withMessageContaining("not run under a lock");
    }

    @Test
    void exceptionOfTheSameTypeFromTheBodyIsThrownAsItIs() {
        LockNotAcquiredException own = new LockNotAcquiredException("else", Duration.ZERO, null, null);
        assertThatThrownBy(() -> shop.rethrow("own", own)).isSameAs(own);
        LockUnavailableException down = new LockUnavailableException("else", "down", null);
        assertThatThrownBy(() -> shop.rethrow("own", down)).isSameAs(down);
        assertThat(app.isHeld("shop:own")).isFalse();
    }

    static class Shop {

        @DistributedLock(name = "shop", key = "#key")
        public boolean isHeld(Locked app, String key) {
            return app.isHeld("shop:" + key);
        }

        @DistributedLock(name = "shop", key = "#key", waitTime = "1m")
        public boolean isHeldAfterAWait(Locked app, String key) {
            return isHeld(app, key);
        }

        @DistributedLock(name = "shop", key = "#key")
        public void fail(String key) {
            throw new IllegalStateException("no stock");
        }

        @DistributedLock(name = "shop", key = "#key")
        public Lease lease(String key) {
            LockContext.current().assertHeld();
            return LockContext.current();
        }

        @DistributedLock(name = "shop", key = "#key")
        public void rethrow(String key, RuntimeException failure) {
            throw failure;
        }
    }
}
