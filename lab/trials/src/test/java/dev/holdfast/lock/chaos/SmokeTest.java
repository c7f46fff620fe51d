package dev.holdfast.lock.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.trials.LockLibrary;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A few seconds of faults, so that a build notices what breaks at once. The short form of {@link Chaos} takes minutes. */
@Timeout(Await.TEST_SECONDS)
@Nightly(inEachBuild = "LostCommandsTest: a broken network")
class SmokeTest {

    @Test
    void locksSurviveABrokenNetwork(@TempDir Path folder) throws InterruptedException {
        Round.Result result = new Round(LockLibrary.HOLDFAST, FaultClass.NETWORK, 1, 2).run(folder);
        assertThat(result.findings().examples()).isEmpty();
        assertThat(result.history().outages()).isNotEmpty();
        assertThat(result.outcome().keepsItsPromises()).isTrue();
    }
}
