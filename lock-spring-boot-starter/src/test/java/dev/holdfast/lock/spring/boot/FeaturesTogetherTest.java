package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.declaration.DeclaredLocks;
import dev.holdfast.lock.spring.declaration.FeatureReport;
import dev.holdfast.lock.spring.fixture.Locked;
import dev.holdfast.lock.testing.NeedsRoom;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.scheduling.annotation.Scheduled;

/** What one feature shows of what another one does. */
@NeedsRoom("spring.observe")
class FeaturesTogetherTest {

    @Test
    void tickThatHasRunIsCountedAsSkipped() {
        try (Locked app = Locked.application(Jobs.class)) {
            app.bean(Jobs.class).tick();
            app.bean(Jobs.class).tick();

            Map<String, @Nullable Object> shown = new HashMap<>();
            app.context()
                    .getBeanProvider(FeatureReport.class)
                    .forEach(feature -> shown.putAll(feature.ofLocks()
                            .apply(app.bean(DeclaredLocks.class).all().get(0))));
            assertThat(shown).containsEntry("runs", 1L).containsEntry("skipped", 1L);
        }
    }

    static class Jobs {
        @Scheduled(cron = "0 0 0 1 1 *", zone = "UTC")
        @DistributedLock(name = "tick", oncePerTick = true)
        public void tick() {}
    }
}
