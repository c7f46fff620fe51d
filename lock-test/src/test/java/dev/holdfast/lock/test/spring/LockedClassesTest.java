package dev.holdfast.lock.test.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.spring.DistributedLock;
import jakarta.annotation.PreDestroy;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Which declarations the check of class files finds, and which it leaves alone. */
@ExtendWith(OutputCaptureExtension.class)
class LockedClassesTest {

    @Test
    void checkFailsWithAllFindings() {
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> LockedClasses.check(WrongKey.class, WrongResult.class))
                .withMessageStartingWith("The application would not start:\n- ")
                .withMessageContaining("WrongKey")
                .withMessageContaining(
                        "\n- @DistributedLock on dev.holdfast.lock.test.spring.LockedClassesTest$WrongResult");
    }

    @Test
    void callThroughThisIsFine() {
        LockedClasses.check(Payments.class);
    }

    @Test
    void findingsAreOnlyInTheReport(CapturedOutput output) {
        assertThat(LockedClasses.findings(WrongKey.class, WrongResult.class)).hasSize(2);
        assertThat(output.getAll().lines().filter(line -> line.contains("WARN") && line.contains("WrongKey")))
                .isEmpty();
    }

    @Test
    void declarationsThatStartupRefusesAreFound() {
        assertThat(LockedClasses.findings(Callback.class))
                .singleElement()
                .asString()
                .contains("Callback.fill()")
                .contains("when it destroys the bean");
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
                .asString()
                .contains("WrongKey.pay(java.lang.String)");
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

    static class Callback {
        @PreDestroy
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
