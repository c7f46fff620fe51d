package dev.holdfast.lock.spring.check;

import static dev.holdfast.lock.spring.fixture.StartUp.assertFine;
import static dev.holdfast.lock.spring.fixture.StartUp.assertRefused;
import static dev.holdfast.lock.spring.fixture.StartUp.failureOf;
import static dev.holdfast.lock.spring.fixture.StartUp.refused;
import static dev.holdfast.lock.spring.fixture.StartUp.start;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.InvalidLockDeclarationException;
import dev.holdfast.lock.spring.OnBusy;
import dev.holdfast.lock.spring.OnUnavailable;
import dev.holdfast.lock.spring.declaration.DeclaredLocks;
import dev.holdfast.lock.spring.declaration.DeclaredLocks.DeclaredLock;
import dev.holdfast.lock.spring.declaration.LockSettings;
import dev.holdfast.lock.spring.fixture.FixedSettings;
import dev.holdfast.lock.spring.fixture.StartUp.Refusal;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Lazy;

/** Declarations that cannot work fail startup, with the method and what to do. */
class StartUpCheckTest {

    static Stream<Refusal> refusals() {
        return Stream.of(
                refused(BlankName.class, "BlankName.run()", "is blank"),
                refused(UnknownPlaceholder.class, "UnknownPlaceholder.run()", "${shop.missing}", "Define the property"),
                refused(PrimitiveSkip.class, "PrimitiveSkip.run()", "nothing to return as int"),
                refused(PrimitiveUnavailable.class, "nothing to return as boolean"),
                refused(TwoPolicies.class, "TwoPolicies.run()", "'onBusy' has several values", "Leave one of them"),
                refused(MissingHandler.class, "names no method 'later'", "Declare it"),
                refused(HandlerOfOtherParameters.class, "names no method 'later'", "takes the same parameters"),
                refused(HandlerOfOtherResult.class, "names no method 'later'", "returns what it returns"),
                refused(HandlerAndSkip.class, "'fallback' and 'onBusy = SKIP' contradict each other"),
                refused(LazyBroken.class, "LazyBroken.run()", "is blank"),
                refused(
                        NoName.class,
                        "NoName.run()",
                        "the lock has no name",
                        "stays the same when the method is renamed"));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void declarationThatCannotWorkIsRefused(Refusal refusal) {
        refusal.check();
    }

    static class BlankName {

        @DistributedLock(name = "  ")
        public void run() {}
    }

    static class UnknownPlaceholder {

        @DistributedLock(name = "stock-${shop.missing}")
        public void run() {}
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                NoDuration.class,
                NegativeWait.class,
                ShortLease.class,
                LeaseAboveMaxHold.class,
                MinHoldAboveMaxHold.class
            })
    void durationThatCannotBeIsRefused(Class<?> bean) {
        assertThat(failureOf(() -> start(bean)))
                .isInstanceOf(InvalidLockDeclarationException.class)
                .hasMessageContaining(bean.getSimpleName() + ".run()")
                .hasMessageMatching("(?s).*'(waitTime|leaseTime|minHold).*");
    }

    static class NoDuration {

        @DistributedLock(name = "x", waitTime = "soon")
        public void run() {}
    }

    static class NegativeWait {

        @DistributedLock(name = "x", waitTime = "-1s")
        public void run() {}
    }

    static class ShortLease {

        @DistributedLock(name = "x", leaseTime = "1ms")
        public void run() {}
    }

    static class LeaseAboveMaxHold {

        @DistributedLock(name = "x", leaseTime = "10s", maxHold = "PT5S")
        public void run() {}
    }

    static class MinHoldAboveMaxHold {

        @DistributedLock(name = "x", minHold = "10s", maxHold = "5s")
        public void run() {}
    }

    @Test
    void durationWithoutAUnitIsRefusedAndTheMessageShowsTheForm() {
        assertRefused(NoUnit.class, "NoUnit.run()", "'waitTime': '5' has no unit", "500ms, 5s, 2m, 1h or PT5S");
        assertFine(ZeroWait.class);
    }

    static class NoUnit {

        @DistributedLock(name = "x", waitTime = "5")
        public void run() {}
    }

    static class ZeroWait {

        @DistributedLock(name = "x", waitTime = "0")
        public void run() {}
    }

    @Test
    void configurationThatContradictsTheAnnotationIsRefused() {
        LockSettings shorter = new LockSettings(null, null, null, null, Duration.ofSeconds(1), null, null, null, null);
        assertThat(failureOf(() -> start(
                        context -> context.registerBean(
                                LockSettings.Source.class, () -> new FixedSettings(LockSettings.NONE, "x", shorter)),
                        TenSeconds.class)))
                .isInstanceOf(InvalidLockDeclarationException.class)
                .hasMessageContaining("'leaseTime' must not be longer than 'maxHold' (1 s), was 10 s")
                .hasMessageContaining("configuration of lock 'x'");
    }

    static class TenSeconds {

        @DistributedLock(name = "x", leaseTime = "10s")
        public void run() {}
    }

    static class PrimitiveSkip {

        @DistributedLock(name = "x", onBusy = OnBusy.SKIP)
        public int run() {
            return 1;
        }
    }

    static class PrimitiveUnavailable {

        @DistributedLock(name = "x", onUnavailable = OnUnavailable.SKIP)
        public boolean run() {
            return true;
        }
    }

    static class TwoPolicies {

        @DistributedLock(
                name = "x",
                onBusy = {OnBusy.SKIP, OnBusy.THROW})
        public void run() {}
    }

    @Test
    void oneNameOfTwoKindsIsRefused() {
        assertRefused(TwoKinds.class, "the lock 'x' is", "One name is one kind");
        assertFine(ReadAndWrite.class);
    }

    static class TwoKinds {

        @DistributedLock(name = "x")
        public void run() {}

        @DistributedLock(name = "x", kind = LockKind.FAIR)
        public void fair() {}
    }

    static class ReadAndWrite {

        @DistributedLock(name = "x", kind = LockKind.READ)
        public void read() {}

        @DistributedLock(name = "x", kind = LockKind.WRITE)
        public void write() {}
    }

    static class MissingHandler {

        @DistributedLock(name = "x", fallback = "later")
        public void run() {}
    }

    static class HandlerOfOtherParameters {

        @DistributedLock(name = "x", fallback = "later")
        public void run(String id) {}

        void later(int id) {}
    }

    static class HandlerOfOtherResult {

        @DistributedLock(name = "x", fallback = "later")
        public String run(String id) {
            return id;
        }

        Optional<String> later(String id) {
            return Optional.of(id);
        }
    }

    static class HandlerAndSkip {

        @DistributedLock(name = "x", onBusy = OnBusy.SKIP, fallback = "later")
        public void run() {}

        void later() {}
    }

    @Lazy
    static class LazyBroken {

        LazyBroken() {
            throw new AssertionError("made");
        }

        @DistributedLock(name = " ")
        public void run() {}
    }

    static class Plain {

        @DistributedLock(name = "plain", key = "#id")
        public void run(String id) {}

        @DistributedLock(name = "other", kind = LockKind.FAIR)
        public void other() {}
    }

    @Test
    void declaredLocksAreKnownAfterwards() {
        try (AnnotationConfigApplicationContext context = start(none -> {}, Plain.class)) {
            DeclaredLocks declared = context.getBean(DeclaredLocks.class);
            assertThat(declared.names()).containsExactly("other", "plain");
            assertThat(declared.all())
                    .extracting(
                            DeclaredLock::name,
                            DeclaredLock::kind,
                            DeclaredLock::key,
                            lock -> lock.method().getName())
                    .containsExactlyInAnyOrder(
                            tuple("plain", LockKind.REENTRANT, "#id", "run"),
                            tuple("other", LockKind.FAIR, null, "other"));
        }
    }

    @Test
    void checkOfDeclaredLocksMayEndTheStart() {
        assertThat(failureOf(() -> start(
                        context -> context.registerBean(DeclaredLocks.Check.class, () -> declared -> {
                            throw new IllegalStateException("known are " + declared.names());
                        }),
                        Plain.class)))
                .hasMessageContaining("known are [other, plain]");
    }

    static class NoName {

        @DistributedLock
        public void run() {}
    }

    @Test
    void namesThatCanBeOneLockInRedisAreRefused() {
        assertRefused(Overlapping.class, "'order'", "'order:item'", "the same name in Redis", "Rename one");
        assertFine(NotOverlapping.class);
    }

    static class Overlapping {

        @DistributedLock(name = "order", key = "#id")
        public void order(String id) {}

        @DistributedLock(name = "order:item", key = "#id")
        public void item(String id) {}
    }

    static class NotOverlapping {

        @DistributedLock(name = "order")
        public void order(String id) {}

        @DistributedLock(name = "order:item", key = "#id")
        public void item(String id) {}

        @DistributedLock(name = "order-line", key = "#id")
        public void line(String id) {}
    }
}
