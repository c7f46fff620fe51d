package dev.holdfast.lock.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.test.InMemoryLockClient;
import dev.holdfast.lock.test.junit.HoldfastTest;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What the answers say about locks that stay from test to test. */
@HoldfastTest
class ForcedReleaseTest {

    @Test
    void forcedReleaseEndsAMinimumHold(InMemoryLockClient locks) {
        locks.getLock("import")
                .acquire(AcquireOptions.defaults().minHold(Duration.ofMinutes(5)))
                .close();
        assertThat(locks.inspect("import")).as("its minimum hold").isPresent();

        assertThat(locks.forceRelease("import")).isTrue();

        assertThat(locks.inspect("import")).isEmpty();
        assertThat(Page.of("docs/testing.md").text())
                .contains("`locks.forceRelease(\"import\")`. That also ends a minimum hold.");
    }
}
