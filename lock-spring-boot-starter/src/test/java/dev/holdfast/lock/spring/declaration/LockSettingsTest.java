package dev.holdfast.lock.spring.declaration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.OnBusy;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LockSettingsTest {

    @Test
    void skippingCallWaitsOnlyWhereItsOwnLockSaysSo() {
        LockSettings skip = new LockSettings(null, null, null, null, null, OnBusy.SKIP, null, null, null);
        LockSettings oneSecond =
                new LockSettings(null, Duration.ofSeconds(1), null, null, null, null, null, null, null);
        assertThat(skip.effective(oneSecond, false).options().givenWait()).contains(Duration.ZERO);
        assertThat(oneSecond
                        .or(skip)
                        .effective(LockSettings.NONE, false)
                        .options()
                        .givenWait())
                .contains(Duration.ofSeconds(1));
    }
}
