package dev.holdfast.lock.test.spring;

import static dev.holdfast.lock.test.LockAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.test.InMemoryLockClient;
import dev.holdfast.lock.test.OtherHolder;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

/** The module on the class path is all that a test needs. There is no Redis. */
@SpringBootTest(properties = "spring.data.redis.port=1")
class SpringBootLocksTest {

    @Autowired
    LockedApplication.Payments payments;

    @Autowired
    InMemoryLockClient locks;

    @Autowired
    LockClient client;

    @MockitoBean
    LockedApplication.Gateway gateway;

    @BeforeEach
    void noteCharges() {
        when(gateway.charge(anyString())).thenAnswer(call -> {
            locks.note("charge");
            return "charged";
        });
    }

    @Test
    void clientOfTheApplicationIsTheOneInMemory() {
        assertThat(client).isSameAs(locks);
    }

    @Test
    void methodRunsWithItsLock() {
        assertThat(payments.pay("42")).isEqualTo("charged");

        assertThat(locks)
                .acquired("order:42", 1)
                .heldWhile("order:42", "charge")
                .released("order:42")
                .isNotHeld("order:42")
                .neverHeld("order:43");
    }

    @Test
    void busyLockIsRefusedAfterItsWait() {
        locks.holdElsewhere("order:42");

        assertThatThrownBy(() -> payments.pay("42")).isInstanceOf(LockNotAcquiredException.class);

        verify(gateway, never()).charge(anyString());
        assertThat(locks).wasWaitedFor("order:42").wasBusy("order:42");
        assertThat(locks.time()).isGreaterThanOrEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void minimumHoldSkipsTheSameTickOfAnotherInstance() {
        payments.report();

        assertThatThrownBy(() -> locks.holdElsewhere("nightly")).isInstanceOf(IllegalStateException.class);
        locks.advance(Duration.ofSeconds(31));
        locks.holdElsewhere("nightly");
    }

    @Test
    void busyStageFailsAfterItsWait() {
        locks.holdElsewhere("stage");

        assertThatThrownBy(() -> payments.stage().toCompletableFuture().join())
                .isInstanceOf(LockNotAcquiredException.class);
    }

    @Test
    void busyMonoGetsTheLockOnceItIsReleased() {
        OtherHolder other = locks.holdElsewhere("mono");
        var result = payments.mono().toFuture();
        assertThat(result).isNotDone();

        other.release();

        assertThat(result.join()).isEqualTo("charged");
        assertThat(locks).heldWhile("mono", "charge");
    }

    @Test
    void unavailableRedisFailsAMono() {
        locks.autoAdvance();
        locks.makeUnavailable();

        assertThatThrownBy(() -> payments.mono().block()).isInstanceOf(LockUnavailableException.class);
    }
}
