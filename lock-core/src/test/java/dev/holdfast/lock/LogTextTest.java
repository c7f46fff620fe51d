package dev.holdfast.lock;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How times stand in messages. */
class LogTextTest {

    @ParameterizedTest
    @CsvSource({
        "PT0S, 0 ms",
        "PT0.000016774S, 0.01 ms",
        "PT0.01S, 10 ms",
        "PT0.9999S, 999 ms",
        "PT1S, 1 s",
        "PT2.5S, 2.5 s",
        "PT59.9999S, 59.999 s",
        "PT1M, 1 min",
        "PT3M4.9S, 3 min 4 s",
        "PT26H30M, 26 h 30 min",
        "PT-5S, -5 s"
    })
    void timesAreReadable(Duration time, String text) {
        assertThat(LogText.time(time)).isEqualTo(text);
    }
}
