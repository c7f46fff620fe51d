package dev.holdfast.lock.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ChannelTest {

    private final Subscriptions.Channel channel = new Subscriptions.Channel();
    private final Object connection = new Object();
    private final List<String> heard = new ArrayList<>();

    @BeforeEach
    void subscribe() {
        channel.add("place", heard::add);
        channel.confirmed(connection);
    }

    @Test
    void firstConfirmationSaysThatMessagesArrive() {
        assertThat(channel.ready).isCompleted();
        assertThat(heard).isEmpty();
    }

    @Test
    void repeatedSubscriptionWakesNobody() {
        channel.confirmed(connection);

        assertThat(heard).isEmpty();
    }

    @Test
    void confirmationOverAnotherConnectionSaysThatMessagesMayHaveBeenMissed() {
        channel.confirmed(new Object());

        assertThat(heard).containsExactly(ReleaseSignals.MISSED);
    }

    @Test
    void confirmationAfterAnInterruptionSaysThatMessagesMayHaveBeenMissed() {
        channel.connection.set(null);
        channel.confirmed(connection);

        assertThat(heard).containsExactly(ReleaseSignals.MISSED);
    }
}
