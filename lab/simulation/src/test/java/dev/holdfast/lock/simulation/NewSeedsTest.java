package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Twenty seconds of seeds that nobody has run before. The output has the first of them. */
class NewSeedsTest {

    private static final int SECONDS = 20;

    @Test
    void newSeedsKeepEveryPromise() {
        Campaign campaign = new Campaign(System.out, Campaign.Options.seconds(SECONDS));

        Simulation.Result failed = campaign.run();

        campaign.line();
        assertThat(failed).as(() -> Report.of(failed)).isNull();
        assertThat(campaign.counts().grants).isPositive();
    }
}
