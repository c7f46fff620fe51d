package dev.holdfast.lock.spring.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.LockObservationContext;
import dev.holdfast.lock.spring.fixture.Locked;
import dev.holdfast.lock.testing.Await;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.support.TransactionTemplate;

/** What observation handlers receive for a call's locks. */
@Timeout(value = Await.TEST_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LockObservationTest {

    private final List<String> received = new CopyOnWriteArrayList<>();
    private final CountDownLatch lost = new CountDownLatch(1);
    private final ObservationRegistry registry = ObservationRegistry.create();
    private Locked app;
    private Calls calls;

    @BeforeEach
    void start() {
        registry.observationConfig().observationHandler(new Recording());
        app = new Locked(this::observe, Calls.class);
        calls = app.bean(Calls.class);
    }

    private void observe(AnnotationConfigApplicationContext context) {
        context.registerBean(LockObservations.class, () -> new LockObservations(registry));
    }

    @AfterEach
    void stop() {
        app.close();
    }

    @Test
    void innerCallOfTheSameLockIsPartOfTheOuterHold() {
        calls.run("7", () -> calls.run("7", () -> received.add("body")));
        assertThat(received)
                .filteredOn(line -> line.startsWith("start"))
                .containsExactly("start acquire call [call:7] reentrant", "start hold call [call:7] reentrant");
    }

    @Test
    void lossIsAnErrorOfTheHold() {
        assertThatThrownBy(() -> calls.shortLease(lost)).isInstanceOf(LeaseLostException.class);
        assertThat(received).endsWith("error LeaseLostException", "stop hold expired");
    }

    @Test
    void lossThatOnlyTheReleaseFindsIsAnErrorOfTheHold() {
        assertThatThrownBy(() -> calls.run("7", () -> app.locks().forceRelease("call:7")))
                .isInstanceOf(LeaseLostException.class);
        assertThat(received).endsWith("error LeaseLostException", "stop hold gone");
    }

    @Test
    void holdLastsUntilTheTransactionThatKeepsTheLockEnds() {
        TransactionTemplate transaction = new TransactionTemplate(
                new DataSourceTransactionManager(new DriverManagerDataSource("jdbc:h2:mem:observation")));
        transaction.executeWithoutResult(status -> {
            calls.run("7", () -> {});
            received.add("commit");
        });
        assertThat(received).endsWith("commit", "stop hold no");
    }

    @Test
    void handlerThatFailsAtEveryStepCostsNoLock() {
        registry.observationConfig().observationHandler(new Failing());
        calls.run("7", () -> received.add(app.isHeld("call:7") ? "held" : "not held"));
        assertThat(received).contains("held");
        assertThat(app.isHeld("call:7")).isFalse();
        assertThat(registry.getCurrentObservation()).isNull();
        assertThatThrownBy(() -> calls.shortLease(lost)).isInstanceOf(LeaseLostException.class);
    }

    private final class Recording implements ObservationHandler<LockObservationContext> {

        @Override
        public boolean supportsContext(Observation.Context context) {
            return context instanceof LockObservationContext;
        }

        private String tag(LockObservationContext context, String key) {
            return context.getLowCardinalityKeyValue(key).getValue();
        }

        private String name(LockObservationContext context) {
            return context.getName().substring("holdfast.lock.".length());
        }

        @Override
        public void onStart(LockObservationContext context) {
            received.add("start " + name(context) + " " + tag(context, "name") + " " + context.lockNames() + " "
                    + tag(context, "kind"));
        }

        @Override
        public void onError(LockObservationContext context) {
            received.add("error " + context.getError().getClass().getSimpleName());
            lost.countDown();
        }

        @Override
        public void onStop(LockObservationContext context) {
            String name = name(context);
            received.add("stop " + name + " " + tag(context, name.equals("hold") ? "lost" : "outcome"));
        }
    }

    private static final class Failing implements ObservationHandler<LockObservationContext> {

        private static void fail() {
            throw new IllegalStateException("a fault of the handler");
        }

        @Override
        public boolean supportsContext(Observation.Context context) {
            return context instanceof LockObservationContext;
        }

        @Override
        public void onStart(LockObservationContext context) {
            fail();
        }

        @Override
        public void onError(LockObservationContext context) {
            fail();
        }

        @Override
        public void onStop(LockObservationContext context) {
            fail();
        }

        @Override
        public void onScopeOpened(LockObservationContext context) {
            fail();
        }

        @Override
        public void onScopeClosed(LockObservationContext context) {
            fail();
        }
    }

    static class Calls {

        @DistributedLock(name = "call", key = "#id", waitTime = "20ms")
        public void run(String id, Runnable body) {
            body.run();
        }

        @DistributedLock(name = "short", leaseTime = "3s")
        public void shortLease(CountDownLatch lost) {
            Locked.await(lost);
            assertThat(LockContext.current().isHeld()).isFalse();
        }
    }
}
