package dev.holdfast.lock.spring.call;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.apache.commons.logging.LogFactory;
import org.junit.jupiter.api.Test;

/** Lines that may come by the hundred. */
class RateLimitedLogTest {

    private final RateLimitedLog lines = new RateLimitedLog(LogFactory.getLog(RateLimitedLogTest.class));
    private final long start = System.nanoTime();

    @Test
    void onlyTheFirstOfManyAreWrittenAndTheNextTellsHowManyWereNot() {
        for (int i = 0; i < RateLimitedLog.MAX_LINES; i++) {
            assertThat(lines.admit("lost", start)).isEqualTo("lost");
        }
        for (int i = 0; i < 7; i++) {
            assertThat(lines.admit("lost", start + TimeUnit.SECONDS.toNanos(1))).isNull();
        }
        assertThat(lines.admit("lost", start + TimeUnit.SECONDS.toNanos(11)))
                .startsWith("lost (7 lines like this were omitted");
        assertThat(lines.admit("lost", start + TimeUnit.SECONDS.toNanos(12))).isEqualTo("lost");
    }
}
