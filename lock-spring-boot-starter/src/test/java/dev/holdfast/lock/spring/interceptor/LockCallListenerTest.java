package dev.holdfast.lock.spring.interceptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.OnBusy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/** What listeners hear of a call's locks. */
class LockCallListenerTest {

    private final List<String> heard = new CopyOnWriteArrayList<>();
    private final List<String> inside = new CopyOnWriteArrayList<>();
    private final CountDownLatch lost = new CountDownLatch(1);
    private Locked app;
    private Calls calls;

    @BeforeEach
    void start() {
        app = new Locked(this::listen, Calls.class);
        calls = app.bean(Calls.class);
    }

    private void listen(AnnotationConfigApplicationContext context) {
        context.registerBean("broken", LockCallListener.class, () -> call -> {
            throw new IllegalStateException("a listener's own fault");
        });
        context.registerBean("writing", LockCallListener.class, () -> this::begin);
    }

    private LockCallListener.Progress begin(LockCall call) {
        heard.add("asks " + call.declaredName() + " " + call.lockNames() + " " + call.kind());
        return new LockCallListener.Progress() {

            @Override
            public void onAcquired(Duration waited, long fencingToken) {
                heard.add(call.reentered() ? "reentered" : "acquired");
                throw new IllegalStateException("a listener's own fault");
            }

            @Override
            public void onBusy(Duration waited, boolean skipped) {
                heard.add(skipped ? "skipped" : "busy");
            }

            @Override
            public LockCallListener.Inside enterBody() {
                inside.addAll(call.lockNames());
                return () -> inside.removeAll(call.lockNames());
            }

            @Override
            public void onLost(LeaseLoss loss) {
                heard.add("lost");
                lost.countDown();
            }

            @Override
            public void onReleased(Duration held) {
                heard.add("released");
            }
        };
    }

    @AfterEach
    void stop() {
        app.close();
    }

    @Test
    void callIsFollowedFromAskingToRelease() {
        calls.run("7", () -> heard.add("body"));
        assertThat(heard).containsExactly("asks call [call:7] REENTRANT", "acquired", "body", "released");
    }

    @Test
    void innerCallIsHeardAsReentered() {
        calls.run("7", () -> calls.run("7", () -> {}));
        assertThat(heard)
                .containsExactly(
                        "asks call [call:7] REENTRANT",
                        "acquired",
                        "asks call [call:7] REENTRANT",
                        "reentered",
                        "released",
                        "released");
    }

    @Test
    void busyLockIsHeard() {
        try (Lease busy = app.locks().lock("call:7").acquire()) {
            assertThatThrownBy(() -> calls.run("7", () -> {})).isInstanceOf(LockNotAcquiredException.class);
            calls.skip("7");
            assertThat(busy.isHeld()).isTrue();
        }
        assertThat(heard)
                .containsExactly("asks call [call:7] REENTRANT", "busy", "asks call [call:7] REENTRANT", "skipped");
    }

    @Test
    void lossIsHeard() {
        assertThatThrownBy(() -> calls.shortLease(lost)).isInstanceOf(LeaseLostException.class);
        assertThat(heard).containsExactly("asks short [short] REENTRANT", "acquired", "lost", "released");
    }

    @Test
    void lossThatOnlyTheReleaseFindsIsHeardBeforeIt() {
        assertThatThrownBy(() -> calls.run("7", () -> app.locks().forceRelease("call:7")))
                .isInstanceOf(LeaseLostException.class);
        assertThat(heard).containsExactly("asks call [call:7] REENTRANT", "acquired", "lost", "released");
    }

    @Test
    void listenersAreInsideWhileTheBodyRuns() {
        calls.run("7", () -> calls.run("8", () -> heard.add("body " + inside)));
        assertThat(heard).contains("body [call:7, call:8]");
        assertThat(inside).isEmpty();
    }

    static class Calls {

        @DistributedLock(name = "call", key = "#id", waitTime = "20ms")
        public void run(String id, Runnable body) {
            body.run();
        }

        @DistributedLock(name = "call", key = "#id", onBusy = OnBusy.SKIP)
        public void skip(String id) {}

        @DistributedLock(name = "short", leaseTime = "200ms")
        public void shortLease(CountDownLatch lost) {
            try {
                lost.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            assertThat(LockContext.current().isHeld()).isFalse();
        }
    }
}
