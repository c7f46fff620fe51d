package dev.holdfast.lock.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.internal.waiting.ReleaseSignals;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ChannelTest {

    private final Channel channel = new Channel();
    private final List<String> heard = new ArrayList<>();

    @BeforeEach
    void subscribe() {
        channel.add("place", heard::add);
        channel.confirmed("node");
    }

    @Test
    void firstConfirmationSaysThatMessagesArrive() {
        assertThat(channel.ready).isCompleted();
        assertThat(heard).isEmpty();
    }

    @Test
    void repeatedSubscriptionWakesNobody() {
        channel.confirmed("node");

        assertThat(heard).isEmpty();
    }

    @Test
    void confirmationByAnotherNodeSaysThatMessagesMayHaveBeenMissed() {
        channel.confirmed("other");

        assertThat(heard).containsExactly(ReleaseSignals.MISSED);
    }

    @Test
    void confirmationAfterAnInterruptionSaysThatMessagesMayHaveBeenMissed() {
        channel.node.set(null);
        channel.confirmed("node");

        assertThat(heard).containsExactly(ReleaseSignals.MISSED);
    }

    @Test
    void messageReachesItsPlaceOnly() {
        channel.heard("place 4711");
        channel.heard("elsewhere");

        assertThat(heard).containsExactly("place 4711");
    }
}
