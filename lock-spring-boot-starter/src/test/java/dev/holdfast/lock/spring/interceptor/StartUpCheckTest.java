package dev.holdfast.lock.spring.interceptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.tuple;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.InvalidLockDeclarationException;
import dev.holdfast.lock.spring.OnBusy;
import dev.holdfast.lock.spring.OnUnavailable;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import kotlin.coroutines.Continuation;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.NestedExceptionUtils;

/** What cannot work fails as the application starts, with the method's name and the mend. No Redis is asked. */
class StartUpCheckTest {

    @Test
    void privateMethodIsRefused() {
        assertRefused(PrivateMethod.class, "PrivateMethod.run()", "private", "Make it public");
    }

    static class PrivateMethod {

        @DistributedLock(name = "x")
        private void run() {}
    }

    @Test
    void suspendingFunctionIsRefused() {
        assertRefused(Suspending.class, "Suspending.run(", "suspending function", "Return a Mono");
    }

    static class Suspending {

        @DistributedLock(name = "x")
        public @Nullable Object run(Continuation<String> continuation) {
            return null;
        }
    }

    @Test
    void staticMethodIsRefused() {
        assertRefused(StaticMethod.class, "StaticMethod.run()", "static", "Make it a bean's method");
    }

    static class StaticMethod {

        @DistributedLock(name = "x")
        public static void run() {}
    }

    @Test
    void finalMethodIsRefused() {
        assertRefused(FinalMethod.class, "FinalMethod.run()", "final method", "Take 'final' away");
    }

    static class FinalMethod {

        @DistributedLock(name = "x")
        public final void run() {}
    }

    @Test
    void finalMethodOfALockedClassIsRefused() {
        assertRefused(FinalInLockedClass.class, "FinalInLockedClass.run()", "final method");
    }

    @DistributedLock(name = "x")
    static class FinalInLockedClass {

        public final void run() {}
    }

    @Test
    void finalClassIsRefused() {
        assertRefused(FinalClass.class, "FinalClass.run()", "is final and cannot be proxied");
    }

    static final class FinalClass {

        @DistributedLock(name = "x")
        public void run() {}
    }

    @Test
    void finalClassBehindAnInterfaceIsFine() {
        assertFine(FinalRunnable.class);
    }

    static final class FinalRunnable implements Runnable {

        @Override
        @DistributedLock(name = "x")
        public void run() {}
    }

    @Test
    void methodThatNoInterfaceOfAnInterfaceProxyHasIsRefused() {
        assertRefused(NotOffered.class, "NotOffered.other()", "offers its interfaces only");
    }

    static class NotOffered implements Runnable {

        @Override
        public void run() {}

        @DistributedLock(name = "x")
        public void other() {}
    }

    @Test
    void blankNameIsRefused() {
        assertRefused(BlankName.class, "BlankName.run()", "is blank");
    }

    static class BlankName {

        @DistributedLock(name = "  ")
        public void run() {}
    }

    @Test
    void placeholderThatNothingDefinesIsRefused() {
        assertRefused(UnknownPlaceholder.class, "UnknownPlaceholder.run()", "${shop.missing}", "Define the property");
    }

    static class UnknownPlaceholder {

        @DistributedLock(name = "stock-${shop.missing}")
        public void run() {}
    }

    @Test
    void expressionThatDoesNotParseIsRefused() {
        assertRefused(BrokenKey.class, "BrokenKey.run(java.lang.String)", "'#id +'", "does not parse");
    }

    static class BrokenKey {

        @DistributedLock(name = "x", key = "#id +")
        public void run(String id) {}
    }

    @Test
    void expressionThatNamesNoArgumentIsRefused() {
        assertRefused(UnknownArgument.class, "'#order', which is no argument", "[a0, id, p0]");
    }

    static class UnknownArgument {

        @DistributedLock(name = "x", key = "'a' + #order.id")
        public void run(String id) {}
    }

    @Test
    void expressionWithATypeIsRefused() {
        assertRefused(TypeInKey.class, "T(java.lang.Runtime)", "Types and constructors are not offered");
    }

    static class TypeInKey {

        @DistributedLock(name = "x", key = "T(java.lang.Runtime).getRuntime()")
        public void run() {}
    }

    @Test
    void expressionWithAConstructorIsRefused() {
        assertRefused(ConstructorInKey.class, "Types and constructors are not offered");
    }

    static class ConstructorInKey {

        @DistributedLock(name = "x", key = "new String('a')")
        public void run() {}
    }

    @Test
    void expressionWithABeanIsRefusedUnlessSwitchedOn() {
        assertRefused(BeanInKey.class, "refers to a bean", "Switch bean references on");
        assertThatCode(() -> start(
                        context -> context.registerBean(
                                InterceptionOptions.class,
                                () -> InterceptionOptions.defaults().beanReferences(true)),
                        BeanInKey.class))
                .doesNotThrowAnyException();
    }

    static class BeanInKey {

        @DistributedLock(name = "x", key = "@tenants.current()")
        public void run() {}
    }

    @Test
    void keyAndKeysTogetherAreRefused() {
        assertRefused(KeyAndKeys.class, "'key' and 'keys' are both given");
    }

    static class KeyAndKeys {

        @DistributedLock(name = "x", key = "#id", keys = "#id")
        public void run(String id) {}
    }

    @Test
    void keysOfAnotherKindAreRefused() {
        assertRefused(FairKeys.class, "'keys' takes re-entrant locks only");
    }

    static class FairKeys {

        @DistributedLock(name = "x", keys = "#id", kind = LockKind.FAIR)
        public void run(String id) {}
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
        LockSettings shorter = new LockSettings(null, null, null, null, Duration.ofSeconds(1), null, null, null);
        assertThat(failureOf(() -> start(
                        context -> context.registerBean(
                                LockSettingsSource.class, () -> new FixedSettings(LockSettings.NONE, "x", shorter)),
                        TenSeconds.class)))
                .isInstanceOf(InvalidLockDeclarationException.class)
                .hasMessageContaining("'leaseTime' must not be longer than 'maxHold' (1 s), was 10 s")
                .hasMessageContaining("configuration of lock 'x'");
    }

    static class TenSeconds {

        @DistributedLock(name = "x", leaseTime = "10s")
        public void run() {}
    }

    @Test
    void primitiveResultOfASkippedCallIsRefused() {
        assertRefused(PrimitiveSkip.class, "PrimitiveSkip.run()", "nothing to return as int");
        assertRefused(PrimitiveUnavailable.class, "nothing to return as boolean");
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

    @Test
    void resultThatNobodyCanFollowIsRefused() {
        assertRefused(PlainFuture.class, "PlainFuture.run()", "java.util.concurrent.Future", "CompletionStage");
    }

    static class PlainFuture {

        @DistributedLock(name = "x")
        public Future<String> run() {
            throw new IllegalStateException();
        }
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

    @Test
    void handlerThatIsMissingIsRefused() {
        assertRefused(MissingHandler.class, "names no method 'later'", "Declare it");
        assertRefused(MissingHandlerBean.class, "no bean 'later'", "Define one");
    }

    static class MissingHandler {

        @DistributedLock(name = "x", fallback = "later")
        public void run() {}
    }

    static class MissingHandlerBean {

        @DistributedLock(name = "x", fallback = "@later")
        public void run() {}
    }

    @Test
    void handlerOfAnotherSignatureIsRefused() {
        assertRefused(HandlerOfOtherParameters.class, "names no method 'later'", "takes the same parameters");
        assertRefused(HandlerOfOtherResult.class, "names no method 'later'", "returns what it returns");
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

    @Test
    void handlerBesideAPolicyIsRefused() {
        assertRefused(HandlerAndSkip.class, "'fallback' and 'onBusy = SKIP' contradict each other");
    }

    static class HandlerAndSkip {

        @DistributedLock(name = "x", onBusy = OnBusy.SKIP, fallback = "later")
        public void run() {}

        void later() {}
    }

    @Test
    void lazyBeanIsLookedAtTooWithoutBeingMade() {
        assertRefused(LazyBroken.class, "LazyBroken.run()", "is blank");
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
                        context -> context.registerBean(DeclaredLocksCheck.class, () -> declared -> {
                            throw new IllegalStateException("known are " + declared.names());
                        }),
                        Plain.class)))
                .hasMessageContaining("known are [other, plain]");
    }

    private static void assertRefused(Class<?> bean, String... parts) {
        assertThat(failureOf(() -> start(bean)))
                .isInstanceOf(InvalidLockDeclarationException.class)
                .hasMessageContainingAll(parts);
    }

    private static Throwable failureOf(ThrowingCallable start) {
        return NestedExceptionUtils.getMostSpecificCause(catchThrowable(start));
    }

    private static void assertFine(Class<?> bean) {
        assertThatCode(() -> start(bean)).doesNotThrowAnyException();
    }

    private static void start(Class<?> bean) {
        start(context -> {}, bean).close();
    }

    private static AnnotationConfigApplicationContext start(
            Consumer<AnnotationConfigApplicationContext> customizer, Class<?> bean) {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.register(LockInterceptionConfiguration.class, bean);
        customizer.accept(context);
        context.refresh();
        return context;
    }
}
