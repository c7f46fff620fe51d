package dev.holdfast.lock.spring.call;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.declaration.Fallbacks;
import dev.holdfast.lock.spring.declaration.LockOperationParser;
import dev.holdfast.lock.spring.declaration.LockSettings;
import dev.holdfast.lock.spring.result.Results;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import reactor.core.publisher.Mono;

/** A lease counts as its thread's, for the search for deadlocks, only if the method's thread releases it. */
class KeptByThreadTest {

    private final LockedMethods source = new LockedMethods(
            new LockOperationParser(
                    text -> text, new LockSettings.Source() {}, new Fallbacks(new DefaultListableBeanFactory())),
            List.of(),
            new Results());

    private boolean isKept(String method) throws Exception {
        LockedMethod locked =
                source.find(Shop.class.getMethod(method), Shop.class).orElseThrow();
        AcquireOptions options = locked.locks().get(0).operation().options();
        return options.isKeptByThread();
    }

    @Test
    void threadReleasesTheLockOfAMethodThatReturnsItsResult() throws Exception {
        assertThat(isKept("nothing")).isTrue();
        assertThat(isKept("text")).isTrue();
        assertThat(isKept("callable")).isTrue();
    }

    @Test
    void anotherThreadMayReleaseTheLockOfAResultThatCompletesLater() throws Exception {
        assertThat(isKept("stage")).isFalse();
        assertThat(isKept("mono")).isFalse();
        assertThat(isKept("object")).isFalse();
    }

    @DistributedLock(name = "kept")
    static class Shop {

        public void nothing() {}

        public String text() {
            return "";
        }

        public Callable<String> callable() {
            return () -> "";
        }

        public CompletionStage<String> stage() {
            throw new UnsupportedOperationException();
        }

        public Mono<String> mono() {
            return Mono.empty();
        }

        public Object object() {
            return "";
        }
    }
}
