package dev.holdfast.lock.test.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.test.spring.LockFinding.Kind;
import jakarta.annotation.PostConstruct;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Which holes the check of class files finds, and which calls it leaves alone. */
@ExtendWith(OutputCaptureExtension.class)
class LockedClassesTest {

    @Test
    void callThroughThisIsNamedWithItsLine() {
        List<LockFinding> findings = LockedClasses.findings(Payments.class);
        assertThat(findings).singleElement().satisfies(finding -> {
            assertThat(finding.kind()).isEqualTo(Kind.SELF_CALL);
            assertThat(finding.place())
                    .matches(".*LockedClassesTest\\$Payments\\.payAll\\(LockedClassesTest\\.java:\\d+\\)");
            assertThat(finding.toString())
                    .contains("calls dev.holdfast.lock.test.spring.LockedClassesTest$Payments.pay(String, long)")
                    .contains("Move the method to another bean");
        });
    }

    @Test
    void checkFailsWithAllFindings() {
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> LockedClasses.check(Payments.class, Forms.class))
                .withMessageContaining("Methods would run without their locks:\n- ")
                .withMessageContaining("Payments.payAll")
                .withMessageContaining("Forms.lambda");
    }

    @Test
    void declarationThatStartupRefusesIsNotSaidToRunWithoutItsLock() {
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> LockedClasses.check(WrongKey.class))
                .withMessageStartingWith("The application would not start:\n- ");
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> LockedClasses.check(Payments.class, WrongKey.class))
                .withMessageStartingWith("Methods would run without their locks:\n- ")
                .withMessageContaining("\nThe application would not start:\n- ");
    }

    @Test
    void findingsAreOnlyInTheReport(CapturedOutput output) {
        assertThat(LockedClasses.findings(WrongKey.class, WrongResult.class)).hasSize(2);
        assertThat(output.getAll().lines().filter(line -> line.contains("WARN") && line.contains("WrongKey")))
                .isEmpty();
    }

    @Test
    void everyFormOfACallIsFound() {
        assertThat(LockedClasses.findings(Forms.class))
                .extracting(finding -> finding.place().replaceAll(".*Forms(\\$\\d)?\\.(.*)\\(.*", "$2"))
                .containsExactlyInAnyOrder(
                        "<init>",
                        "lambda",
                        "reference",
                        "call",
                        "copy",
                        "insideOfAnExpression",
                        "insideOfACatch",
                        "insideOfASwitch",
                        "defaultArguments");
    }

    @Test
    void inheritedCallIsFoundForTheClassThatLocks() {
        assertThat(LockedClasses.findings(Template.class)).isEmpty();
        assertThat(LockedClasses.findings(Template.class, Import.class))
                .singleElement()
                .asString()
                .contains("LockedClassesTest$Template.run(")
                .contains("LockedClassesTest$Import.step(Object)");
    }

    @Test
    void annotationsOfClassesInterfacesAndOtherAnnotationsCount() {
        assertThat(LockedClasses.findings(OfClass.class)).hasSize(1);
        assertThat(LockedClasses.findings(Job.class, OfInterface.class)).hasSize(1);
        assertThat(LockedClasses.findings(OfMeta.class)).hasSize(1);
    }

    @Test
    void callsThatReachTheProxyAreLeftAlone() {
        LockedClasses.check(Sound.class, Overriding.class);
    }

    @Test
    void declarationsThatStartupRefusesAreFound() {
        assertThat(LockedClasses.findings(Callback.class))
                .singleElement()
                .asString()
                .contains("Callback.fill()")
                .contains("Spring calls it past the proxy");
        assertThat(LockedClasses.findings(WrongKey.class))
                .singleElement()
                .asString()
                .contains("WrongKey.pay(");
        assertThat(LockedClasses.findings(WrongResult.class))
                .singleElement()
                .asString()
                .contains("WrongResult.rows(");
        assertThat(LockedClasses.findings(Unproxied.class))
                .singleElement()
                .asString()
                .contains("private method");
    }

    @Test
    void namesThatOverlapAreFound() {
        assertThat(LockedClasses.findings(OfName.class, OfOtherKind.class))
                .singleElement()
                .asString()
                .contains("One name is one kind of lock");
    }

    @Test
    void whatOnlyTheApplicationKnowsIsLeftToItsStartup() {
        LockedClasses.check(Configured.class);
        assertThat(LockedClasses.findings(Configured.class, WrongKey.class))
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.kind()).isEqualTo(Kind.DECLARATION);
                    assertThat(finding.place()).contains("WrongKey.pay(java.lang.String)");
                });
    }

    @Test
    void packageIsSearchedWithoutTests() {
        assertThat(LockedClasses.findings("dev.holdfast.lock.test")).isEmpty();
        LockedClasses.check("dev.holdfast.lock.spring", "dev.holdfast.lock.test.spring");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockedClasses.check("com.example.misspelled"))
                .withMessageContaining("'com.example.misspelled'");
    }

    static class Payments {
        public void payAll(List<String> ids) {
            for (String id : ids) {
                pay(id, 3L);
            }
        }

        @DistributedLock(name = "order", key = "#id")
        public void pay(String id, long cents) {}
    }

    static class Forms {
        Forms() {
            pay(1);
        }

        public void lambda(Stream<Integer> ids) {
            ids.forEach(id -> pay(id));
        }

        public Consumer<Integer> reference() {
            return this::pay;
        }

        public Callable<Integer> anonymous() {
            return new Callable<>() {
                @Override
                public Integer call() {
                    return pay(1);
                }
            };
        }

        public void copy() {
            Forms self = this;
            self.pay(1);
        }

        public double insideOfAnExpression(boolean large, double[] prices, long[] amounts) {
            return 2.0 * prices[0] + (amounts[1] + pay(large ? (int) amounts[0] : 2)) % 7L;
        }

        public int insideOfACatch(String text) {
            try {
                return Integer.parseInt(text);
            } catch (NumberFormatException e) {
                return pay(1);
            }
        }

        public int insideOfASwitch(String text) {
            return switch (text) {
                case "a" -> 1;
                case "b" -> pay(2);
                default -> throw new IllegalArgumentException(text);
            };
        }

        public int defaultArguments() {
            return pay$default(this, 0, 1, null);
        }

        @DistributedLock(name = "order", key = "#id")
        public int pay(int id) {
            return id;
        }

        /** What Kotlin makes of a function with default arguments. */
        @SuppressWarnings("MethodName")
        static int pay$default(Forms self, int id, int missing, Object marker) {
            return self.pay((missing & 1) == 0 ? id : 7);
        }
    }

    abstract static class Template<T> {
        public void run(T part) {
            step(part);
        }

        public abstract void step(T part);
    }

    static class Import extends Template<String> {
        @Override
        @DistributedLock(name = "import")
        public void step(String part) {}
    }

    @DistributedLock(name = "of-class")
    static class OfClass {
        public void outer() {
            inner();
        }

        public void inner() {}
    }

    interface Job {
        @DistributedLock(name = "job")
        void run();

        default void twice() {
            run();
        }
    }

    static class OfInterface implements Job {
        @Override
        public void run() {}
    }

    @DistributedLock(name = "meta")
    @Retention(RetentionPolicy.RUNTIME)
    @interface Exclusive {}

    static class OfMeta {
        public void outer() {
            inner();
        }

        @Exclusive
        public void inner() {}
    }

    static class Sound {
        private final Sound self;
        private final ObjectProvider<Sound> provider;

        Sound(Sound self, ObjectProvider<Sound> provider) {
            this.self = self;
            this.provider = provider;
        }

        public void outer(Sound other) {
            self.pay(1);
            this.self.pay(2);
            other.pay(3);
            provider.getObject().pay(4);
            List.of(other).forEach(Sound::again);
            Runnable later = () -> self.pay(5);
            later.run();
            unlocked();
        }

        public void unlocked() {}

        @DistributedLock(name = "again")
        public void again() {}

        @DistributedLock(name = "order", key = "#id")
        public void pay(int id) {}
    }

    static class Overriding extends Sound {
        Overriding(Sound self, ObjectProvider<Sound> provider) {
            super(self, provider);
        }

        @Override
        public void pay(int id) {
            super.pay(id);
        }
    }

    static class Callback {
        @PostConstruct
        @DistributedLock(name = "cache")
        public void fill() {}
    }

    static class WrongKey {
        @DistributedLock(name = "order", key = "#orderId")
        public void pay(String id) {}
    }

    static class WrongResult {
        @DistributedLock(name = "rows")
        public Supplier<String> rows() {
            return () -> "";
        }
    }

    static class Unproxied {
        @DistributedLock(name = "secret")
        private void work() {}
    }

    static class OfName {
        @DistributedLock(name = "one")
        public void work() {}
    }

    static class OfOtherKind {
        @DistributedLock(name = "one", kind = LockKind.FAIR)
        public void work() {}
    }

    static class Configured {
        @DistributedLock(name = "${shop.lock}", waitTime = "${shop.wait}")
        public void work() {}

        @DistributedLock(name = "busy", fallback = "@answers")
        public void answered() {}
    }
}
