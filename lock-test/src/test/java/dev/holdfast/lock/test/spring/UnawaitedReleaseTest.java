package dev.holdfast.lock.test.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.test.InMemoryLockClient;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Mono;

/** A call that does not wait for the answer to its release, which comes late here. */
@Timeout(value = Await.TEST_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class UnawaitedReleaseTest {

    private static final Duration LATE = Duration.ofMillis(100);

    @AutoClose
    private final LockedBeans application = new LockedBeans(Shop.class);

    private final Shop shop = application.bean(Shop.class);
    private final InMemoryLockClient locks = application.locks();

    private void answersComeLate() {
        locks.answerAfter(LATE);
    }

    @Test
    void callReturnsBeforeRedisHasAnswered() {
        shop.unawaited(this::answersComeLate);

        assertThat(locks.time()).isZero();
        assertThat(locks.heldLocks()).isEmpty();
        assertThat(locks.history().toString()).doesNotContain("released");
        locks.makeAvailable();
        shop.unawaited(() -> {});
        assertThat(locks.history().toString()).containsOnlyOnce("released");
        locks.advance(LATE);
        assertThat(locks.history().toString()).containsOnlyOnce("+0.100 s  lock 'stock' released");
    }

    @Test
    void subscriberIsToldBeforeRedisHasAnswered() {
        Mono<Void> work = Mono.fromRunnable(this::answersComeLate);

        shop.unawaitedMono(work).block();

        assertThat(locks.time()).isZero();
        assertThat(locks.heldLocks()).isEmpty();
    }

    @Test
    void usualCallWaits() {
        shop.awaited(this::answersComeLate);

        assertThat(locks.time()).isEqualTo(LATE);
    }

    @Test
    void lossThatOnlyTheAnswerShowsIsForListeners() {
        assertThatCode(() -> shop.unawaited(() -> locks.forceRelease("stock"))).doesNotThrowAnyException();
        assertThat(locks.history().toString()).containsOnlyOnce("'stock' lost");
        assertThat(locks.statistics().lost()).isEqualTo(1);

        assertThatThrownBy(() -> shop.unawaitedMono(Mono.fromRunnable(() -> locks.lose("stock")))
                        .block())
                .isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(() -> shop.awaited(() -> locks.forceRelease("stock")))
                .isInstanceOf(LeaseLostException.class);
    }

    @Test
    void lossThatTheClientKnowsIsThrown() {
        assertThatThrownBy(() -> shop.unawaited(() -> locks.expire("stock"))).isInstanceOf(LeaseLostException.class);
    }

    static class Shop {

        @DistributedLock(name = "stock", awaitRelease = false)
        public void unawaited(Runnable work) {
            work.run();
        }

        @DistributedLock(name = "stock", awaitRelease = false)
        public Mono<Void> unawaitedMono(Mono<Void> work) {
            return work;
        }

        @DistributedLock(name = "stock")
        public void awaited(Runnable work) {
            work.run();
        }
    }
}
