package dev.holdfast.lock.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

/** The nightly limits of times: a run fails if Holdfast exceeds one, and if nothing was compared with it. */
class LimitTest {

    private final Table table = new Table();

    LimitTest() {
        table.row("Holdfast, 8 threads").add("x raw", 0.4).add("x raw", 0.8).add("x raw", 0.9);
        table.row("Redisson, 8 threads").add("x raw", 0.3);
    }

    @Test
    void medianOfHoldfastIsCompared() {
        assertThat(Limit.parse("x raw >= 0.8").broken(table)).isEmpty();
        assertThat(Limit.parse("x raw <= 0.8").broken(table)).isEmpty();
        assertThat(Limit.parse("x raw >= 0.81").broken(table))
                .containsExactly("Holdfast, 8 threads: x raw is 0.800, and may be at least 0.81");
        assertThat(Limit.parse("x raw <= 0.79").broken(table)).hasSize(1);
    }

    @Test
    void figureThatNobodyHasIsNoSuccess() {
        assertThat(Limit.parse("x rae >= 0.1").broken(table)).containsExactly("no row of Holdfast has 'x rae'");
    }

    @Test
    void anotherTextIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> Limit.parse("x raw > 1"));
    }
}
