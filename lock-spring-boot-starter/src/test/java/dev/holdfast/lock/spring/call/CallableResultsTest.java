package dev.holdfast.lock.spring.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.OnBusy;
import dev.holdfast.lock.spring.fixture.Locked;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Work that runs after the method has returned, as controllers return it. */
class CallableResultsTest {

    @AutoClose
    private static Locked app;

    private static Web web;

    @BeforeAll
    static void start() {
        app = Locked.application(Web.class);
        web = app.bean(Web.class);
    }

    @Test
    void nothingIsLockedBeforeTheCallableIsCalled() throws Exception {
        Web.CALLS.clear();
        Callable<Boolean> callable = web.isHeld("lazy");
        assertThat(Web.CALLS).isEmpty();
        assertThat(app.isHeld("later:lazy")).isFalse();
        assertThat(callable.call()).isTrue();
        assertThat(app.isHeld("later:lazy")).isFalse();
    }

    @Test
    void eachCallAcquiresTheLockAnew() throws Exception {
        Callable<Long> callable = web.token("anew");
        assertThat(callable.call()).isLessThan(callable.call());
    }

    @Test
    void lockIsFreeAfterAnException() {
        assertThatThrownBy(web.failing("fails")::call).hasMessage("no stock");
        assertThat(app.isHeld("later:fails")).isFalse();
    }

    @Test
    void busyLockFailsTheCall() {
        try (Lease other = app.locks().getLock("later:busy").acquire()) {
            Callable<Boolean> callable = web.isHeld("busy");
            assertThatThrownBy(callable::call).isInstanceOf(LockNotAcquiredException.class);
            assertThat(other.isHeld()).isTrue();
        }
    }

    @Test
    void skippedCallReturnsTheEmptyValue() throws Exception {
        try (Lease other = app.locks().getLock("later:skipped").acquire()) {
            assertThat(web.skipped("skipped").call()).isEmpty();
            assertThat(other.isHeld()).isTrue();
        }
    }

    @Test
    void callableThatIsNullIsNull() throws Exception {
        assertThat(web.nothing("null").call()).isNull();
        assertThat(app.isHeld("later:null")).isFalse();
    }

    static class Web {

        static final List<String> CALLS = new CopyOnWriteArrayList<>();

        @DistributedLock(name = "later", key = "#key")
        public Callable<Boolean> isHeld(String key) {
            CALLS.add(key);
            return () -> app.isHeld("later:" + key);
        }

        @DistributedLock(name = "later", key = "#key")
        public Callable<Long> token(String key) {
            return () -> LockContext.current().fencingToken();
        }

        @DistributedLock(name = "later", key = "#key")
        public Callable<String> failing(String key) {
            return () -> {
                throw new IllegalStateException("no stock");
            };
        }

        @DistributedLock(name = "later", key = "#key", onBusy = OnBusy.SKIP)
        public Callable<Optional<String>> skipped(String key) {
            return () -> Optional.of("ran");
        }

        @DistributedLock(name = "later", key = "#key")
        public @Nullable Callable<String> nothing(String key) {
            return null;
        }
    }
}
