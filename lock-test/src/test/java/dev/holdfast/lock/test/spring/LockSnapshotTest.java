package dev.holdfast.lock.test.spring;

import static dev.holdfast.lock.test.spring.LockedMethods.assertLocked;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationContext;

@SpringBootTest
class LockSnapshotTest {

    @Autowired
    LockedApplication.Payments payments;

    @Autowired
    LockedApplication.Gateway gateway;

    @Autowired
    ApplicationContext context;

    @TempDir
    Path folder;

    @Test
    void lockedMethodsAreLocked() {
        assertLocked(payments::pay);
        assertLocked(payments::report);
        assertLocked(payments::mono);
    }

    @Test
    void methodWithoutAnnotationIsNotLocked() {
        assertThatThrownBy(() -> assertLocked(payments::unlocked))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("Payments.unlocked takes no lock. Around it run: nothing");
    }

    @Test
    void objectWithoutAProxyIsNotLocked() {
        LockedApplication.Payments created = new LockedApplication.Payments(gateway);

        assertThatThrownBy(() -> assertLocked(created::pay))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("has no proxy");
    }

    @Test
    void lambdaIsRefused() {
        assertThatThrownBy(() -> assertLocked(() -> payments.report()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("payments::pay");
    }

    @Test
    void snapshotShowsEachLockAndItsPlace() {
        assertThat(LockSnapshot.of(context).toString())
                .contains("""
                    dev.holdfast.lock.test.spring.LockedApplication$Payments.pay(String)
                        lock 'order' key #order, REENTRANT, waitTime 5 s, onBusy THROW, onUnavailable THROW, onLost THROW
                        order lock > transaction > method
                    """)
                .contains("""
                    dev.holdfast.lock.test.spring.LockedApplication$Payments.report()
                        lock 'nightly', REENTRANT, waitTime 0 ms, minHold 30 s, onBusy SKIP, onUnavailable THROW, onLost THROW
                        order lock > method
                    """)
                .doesNotContain("unlocked");
    }

    @Test
    void snapshotShowsWhatElseAReviewerLooksFor() {
        assertThat(LockSnapshot.of(context).toString())
                .contains("lock 'render', SEMAPHORE, permits 2, waitTime 5 s, onBusy THROW,")
                .contains("onLost THROW, releaseAfterTransaction false")
                .contains("lock 'guarded', REENTRANT, waitTime 2 s, fallback later, onUnavailable THROW,");
    }

    @Test
    void snapshotIsComparedWithAFile() throws IOException {
        Path file = folder.resolve("missing/folders/locks.txt");
        LockSnapshot snapshot = LockSnapshot.of(context);

        assertThatThrownBy(() -> snapshot.assertMatches(file)).hasMessageContaining("Read it and check it in");
        snapshot.assertMatches(file);

        Files.writeString(file, Files.readString(file).replace("waitTime 5 s", "waitTime 6 s"));
        assertThatThrownBy(() -> snapshot.assertMatches(file))
                .hasMessageContaining("waitTime 6 s")
                .hasMessageContaining("waitTime 5 s");
    }
}
