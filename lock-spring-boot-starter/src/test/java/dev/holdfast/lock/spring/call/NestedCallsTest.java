package dev.holdfast.lock.spring.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.OnLost;
import dev.holdfast.lock.spring.fixture.FreeLocks;
import dev.holdfast.lock.spring.fixture.Locked;
import dev.holdfast.lock.spring.fixture.StartUp;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/** Calls inside calls. A lease does not re-enter by itself: without the holds of the surrounding calls these would wait for themselves. */
class NestedCallsTest {

    @AutoClose
    private static Locked app;

    private static Nested nested;

    @BeforeAll
    static void start() {
        app = Locked.application(Nested.class);
        nested = app.bean(Nested.class);
    }

    @Test
    void callInsideACallOfTheSameLockGoesOnUnderItsLease() {
        List<Long> tokens = new ArrayList<>();
        nested.locked("same", () -> {
            tokens.add(LockContext.current().fencingToken());
            return nested.locked("same", () -> {
                tokens.add(LockContext.current().fencingToken());
                return app.isHeld("nested:same");
            });
        });
        assertThat(tokens).hasSize(2);
        assertThat(tokens.get(0)).isEqualTo(tokens.get(1));
    }

    @Test
    void innerCallAsksRedisNothing() {
        try (RedisServer server = RedisServer.start();
                Locked own = new Locked(server, context -> {}, Nested.class)) {
            Nested bean = own.bean(Nested.class);
            bean.locked("warm", () -> true);
            bean.locked("quiet", () -> {
                server.resetStats();
                for (int i = 0; i < 100; i++) {
                    bean.locked("quiet", () -> true);
                }
                return assertThat(server.commandStats()).doesNotContainKeys("eval", "evalsha");
            });
        }
    }

    @Test
    void callsInsideLeaveNoCallbackBehind() {
        AtomicInteger callbacks = new AtomicInteger();
        try (AnnotationConfigApplicationContext context = StartUp.start(
                beans -> beans.registerBean(
                        "locks",
                        LockClient.class,
                        () -> FreeLocks.telling(method -> {
                            if (method.equals("onLost")) {
                                callbacks.incrementAndGet();
                            }
                        })),
                Nested.class)) {
            Nested bean = context.getBean(Nested.class);
            bean.interrupted(() -> {
                int before = callbacks.get();
                for (int i = 0; i < 100; i++) {
                    bean.interrupted(() -> true);
                }
                return assertThat(callbacks).hasValue(before);
            });
        }
    }

    @Test
    void locksAreReleasedAlthoughTheReleaseOfAnotherFails() {
        try (Locked own = Locked.application(Nested.class);
                AnnotationConfigApplicationContext context = StartUp.start(
                        beans -> beans.registerBean("locks", LockClient.class, () -> failingReleases(own.locks())),
                        Nested.class)) {
            assertThatThrownBy(() -> context.getBean(Nested.class).two()).hasMessage("broken");
            assertThat(own.isHeld("two:first")).isFalse();
            assertThat(own.isHeld("two:second")).isFalse();
        }
    }

    /** A client that an application has wrapped. */
    private static LockClient failingReleases(LockClient client) {
        return changed(
                LockClient.class,
                client,
                "getLock",
                lock -> changed(
                        LeaseLock.class,
                        (LeaseLock) lock,
                        "acquire",
                        lease -> changed(Lease.class, (Lease) lease, "close", closed -> {
                            throw new IllegalStateException("broken");
                        })));
    }

    private static <T> T changed(Class<T> type, T target, String method, UnaryOperator<Object> change) {
        ProxyFactory proxy = new ProxyFactory(type, (MethodInterceptor) call -> {
            Object result = call.proceed();
            return call.getMethod().getName().equals(method) ? change.apply(result) : result;
        });
        proxy.setTarget(target);
        return type.cast(proxy.getProxy());
    }

    @Test
    void innerCallCannotGiveTheOuterLockBack() {
        nested.locked("lent", () -> {
            nested.locked("lent", () -> {
                LockContext.current().close();
                return true;
            });
            return assertThat(LockContext.current().isHeld()).isTrue();
        });
    }

    @Test
    void contextIsTheOuterLeaseAgainAfterAnInnerCall() {
        nested.locked("first", () -> {
            nested.locked(
                    "second", () -> assertThat(LockContext.current().lockName()).isEqualTo("nested:second"));
            return assertThat(LockContext.current().lockName()).isEqualTo("nested:first");
        });
    }

    @Test
    void innerCallTakesTheLockAnewWhereTheOuterLeaseIsOver() {
        nested.shortLease("over", () -> {
            Lease outer = LockContext.current();
            CountDownLatch lost = new CountDownLatch(1);
            outer.onLost(loss -> lost.countDown());
            Locked.await(lost);
            return nested.locked(
                    "over",
                    () -> assertThat(LockContext.current().fencingToken()).isGreaterThan(outer.fencingToken()));
        });
    }

    @Test
    void innerCallWithALongerLeaseExtendsTheOuterOne() {
        nested.minutes(
                "longer",
                () -> nested.hours(
                        "longer",
                        () -> assertThat(LockContext.current().remaining()).isGreaterThan(Duration.ofHours(1))));
    }

    @Test
    void applicationsInOneProcessDoNotLendToEachOther() {
        try (Locked other = Locked.application(Nested.class)) {
            nested.locked(
                    "apart",
                    () -> other.bean(Nested.class)
                            .locked(
                                    "apart",
                                    () -> assertThat(other.isHeld("nested:apart"))
                                            .isTrue()));
        }
    }

    @Test
    void severalLocksOfOneCallThatAreTheSameAreOne() {
        assertThat(nested.twice("equal")).isTrue();
    }

    @Test
    void readerInsideAWriterGoesOnUnderTheWritersLease() {
        long[] tokens = new long[2];
        nested.writing("document", () -> {
            tokens[0] = LockContext.current().fencingToken();
            return nested.reading(
                    "document", () -> tokens[1] = LockContext.current().fencingToken());
        });
        assertThat(tokens[1]).isEqualTo(tokens[0]);
    }

    @Test
    void writerInsideAReaderIsRefused() {
        assertThatThrownBy(() -> nested.reading("document", () -> nested.writing("document", () -> true)))
                .isInstanceOf(IllegalMonitorStateException.class)
                .hasMessageContaining("Nested.writing(")
                .hasMessageContaining("Take the write lock in the outer call");
        assertThat(app.isHeld("document:document")).isFalse();
    }

    @Test
    void readerThatAlsoWritesMayAskForTheWriteLockAgain() {
        assertThat(nested.<Boolean>writing(
                        "both", () -> nested.reading("both", () -> nested.writing("both", () -> true))))
                .isTrue();
    }

    @Test
    void locksOfElementsAreTakenTogether() {
        nested.each(List.of("b", "a", "b"), () -> {
            assertThat(app.isHeld("nested:a")).isTrue();
            return assertThat(app.isHeld("nested:b")).isTrue();
        });
        assertThat(app.isHeld("nested:a")).isFalse();
        assertThat(app.isHeld("nested:b")).isFalse();
    }

    @Test
    void elementInsideItsCollectionGoesOnUnderItsLease() {
        nested.each(
                List.of("m", "n"),
                () -> nested.locked(
                        "n", () -> assertThat(LockContext.current().isHeld()).isTrue()));
    }

    @Test
    void collectionInsideOneOfItsElementsTakesOnlyTheOthers() {
        nested.locked(
                "x",
                () -> nested.each(List.of("x", "y"), () -> {
                    assertThat(LockContext.current().lockName()).isEqualTo("nested:y");
                    return assertThat(app.isHeld("nested:y")).isTrue();
                }));
        assertThat(app.isHeld("nested:x")).isFalse();
    }

    static class Nested {

        @DistributedLock(name = "two:first")
        @DistributedLock(name = "two:second")
        public void two() {}

        @DistributedLock(name = "interrupted", onLost = OnLost.INTERRUPT)
        public <T> T interrupted(Supplier<T> body) {
            return body.get();
        }

        @DistributedLock(name = "nested", key = "#key")
        public <T> T locked(String key, Supplier<T> body) {
            return body.get();
        }

        @DistributedLock(name = "nested", key = "#key", leaseTime = "3s", onLost = OnLost.REPORT)
        public <T> T shortLease(String key, Supplier<T> body) {
            return body.get();
        }

        @DistributedLock(name = "nested", key = "#key", leaseTime = "10m")
        public <T> T minutes(String key, Supplier<T> body) {
            return body.get();
        }

        @DistributedLock(name = "nested", key = "#key", leaseTime = "2h")
        public <T> T hours(String key, Supplier<T> body) {
            return body.get();
        }

        @DistributedLock(name = "nested", keys = "#keys", waitTime = "50ms")
        public <T> T each(List<String> keys, Supplier<T> body) {
            return body.get();
        }

        @DistributedLock(name = "document", key = "#key", kind = LockKind.READ)
        public <T> T reading(String key, Supplier<T> body) {
            return body.get();
        }

        @DistributedLock(name = "document", key = "#key", kind = LockKind.WRITE)
        public <T> T writing(String key, Supplier<T> body) {
            return body.get();
        }

        @DistributedLock(name = "nested", key = "#key")
        @DistributedLock(name = "nested", key = "#key + ''")
        public boolean twice(String key) {
            return LockContext.current().isHeld();
        }
    }
}
