package dev.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.internal.connection.ReleaseSignals;
import dev.holdfast.lock.test.memory.MemoryGateway;
import dev.holdfast.lock.test.memory.MemoryGateway.Command;
import dev.holdfast.lock.test.memory.MemoryGateway.Traffic;
import dev.holdfast.lock.test.memory.MemoryRedis;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.VirtualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A client that needs a second and a half to open its connection for messages, 20 ms away from Redis, in virtual time. */
@Timeout(Await.TEST_SECONDS)
class SlowSubscriptionTest {

    private static final String NAME = "orders";
    private static final AcquireOptions WAITING = AcquireOptions.defaults().waitAtMost(Duration.ofMinutes(1));
    private static final Duration ONE_WAY = Duration.ofMillis(20);
    private static final Duration CONNECTS = Duration.ofMillis(1_500);

    private final VirtualClock clock = new VirtualClock();
    /** Whether answers come at once, because no time passes while a client closes. */
    private boolean over;

    private final MemoryRedis server = new MemoryRedis(clock, Instant.EPOCH, Runnable::run);

    @AutoClose
    private final LockClient slow = client(new Traffic() {
        @Override
        public <T> CompletableFuture<T> send(String name, List<String> keys, List<String> args, Command<T> command) {
            if (over) {
                return Traffic.executed(command);
            }
            CompletableFuture<T> answer = new CompletableFuture<>();
            clock.after(ONE_WAY, () -> {
                T executed = command.execute();
                clock.after(ONE_WAY, () -> answer.complete(executed));
            });
            return answer;
        }

        @Override
        public ReleaseSignals signals(ReleaseSignals messages) {
            return new SlowSignals(messages);
        }
    });

    @AutoClose
    private final LockClient other = client(Traffic.DIRECT);

    private LockClient client(Traffic traffic) {
        return VirtualClients.builder(clock, (settings, timer, ticker) -> new MemoryGateway(server, traffic, ticker))
                .build();
    }

    @AfterEach
    void end() {
        over = true;
        clock.advance(Duration.ofMinutes(1));
    }

    private CompletableFuture<Lease> wanted(LockClient client) {
        return client.getFairLock(NAME).acquireAsync(WAITING).toCompletableFuture();
    }

    @ParameterizedTest
    @ValueSource(ints = {50, 230, 255, 300, 700, 1_200, 1_600})
    void firstInLineIsFirst(int releasedAfterMillis) {
        Lease held = other.getFairLock(NAME).acquire();
        CompletableFuture<Lease> first = wanted(slow);
        clock.advance(ONE_WAY);
        CompletableFuture<Lease> second = wanted(other);

        clock.advance(Duration.ofMillis(releasedAfterMillis));
        held.close();
        clock.advance(Duration.ofSeconds(1));

        assertThat(second).isNotDone();
        first.join().releaseAsync();
        clock.advance(Duration.ofSeconds(1));
        second.join().close();
    }

    /** Nobody heard of the grant that is given back. */
    @Test
    void secondIsNextIfTheFirstGivesUpBeforeItFindsItsGrant() {
        Lease held = other.getFairLock(NAME).acquire();
        CompletableFuture<Lease> first = wanted(slow);
        clock.advance(ONE_WAY.multipliedBy(2));
        CompletableFuture<Lease> second = wanted(other);
        held.close();
        assertThat(second).isNotDone();

        first.cancel(false);
        clock.advance(ONE_WAY);

        assertThat(second).isCompletedWithValueMatching(Lease::isHeld);
    }

    /** Subscriptions begin only once the connection for messages is open. */
    private final class SlowSignals implements ReleaseSignals {

        private final ReleaseSignals messages;
        private final CompletableFuture<Void> connected = new CompletableFuture<>();

        SlowSignals(ReleaseSignals messages) {
            this.messages = messages;
            clock.after(CONNECTS, () -> connected.complete(null));
        }

        @Override
        public boolean areInUse() {
            return true;
        }

        @Override
        public boolean isSubscribed(String channel) {
            return connected.isDone() && messages.isSubscribed(channel);
        }

        @Override
        public Subscription subscribe(String channel, String place, Consumer<String> onMessage) {
            CompletableFuture<Subscription> opened =
                    connected.thenApply(now -> messages.subscribe(channel, place, onMessage));
            return new Subscription() {
                @Override
                public CompletionStage<Void> ready() {
                    return opened.thenCompose(Subscription::ready);
                }

                @Override
                public void cancel(long lingerNanos) {
                    opened.thenAccept(subscription -> subscription.cancel(lingerNanos));
                }
            };
        }
    }
}
