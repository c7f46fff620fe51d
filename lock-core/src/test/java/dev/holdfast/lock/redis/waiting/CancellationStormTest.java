package dev.holdfast.lock.redis.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.redis.fixture.CriticalSection;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Callers of one client that request a lock and cancel at once do not keep it from others. Prints how long the others waited. */
@Nightly(inEachBuild = "WaitingRoomTest, callersThatCancelAtOnceShareARequest and answerOvertakesCallersThatComeAndGo")
class CancellationStormTest {

    private static final int CALLERS = 8;
    private static final Duration STORM = Duration.ofSeconds(10);

    /** The callers use all processors, so a turn of another client takes a fraction of a second, also without the locks. */
    private static final Duration LONGEST = Duration.ofSeconds(2);

    @ParameterizedTest
    @EnumSource(names = {"WRITE", "READ", "REENTRANT"})
    void writerOfAnotherClientHasItsTurnsInAStormOfCancellations(LockKind cancelled) throws Exception {
        String name = Waits.name("storm");
        AtomicBoolean end = new AtomicBoolean();
        List<Long> waits = new ArrayList<>();
        try (RedisServer server = RedisServer.start();
                LockClient here = Waits.client(server).build();
                LockClient there = Waits.client(server).build()) {
            LockKind kind = cancelled == LockKind.READ ? LockKind.WRITE : cancelled;
            there.getLock(name, kind).acquire(Waits.waiting(Await.PATIENCE)).close();
            List<CompletableFuture<Void>> callers = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                callers.add(CompletableFuture.runAsync(
                        () -> cancel(here, name, cancelled, end), CriticalSection::onThread));
            }
            for (long begun = System.nanoTime(); System.nanoTime() - begun < STORM.toNanos(); ) {
                long asked = System.nanoTime();
                Lease lease = there.getLock(name, kind).acquire(Waits.waiting(Await.PATIENCE));
                waits.add(System.nanoTime() - asked);
                lease.close();
            }
            end.set(true);
            for (CompletableFuture<Void> caller : callers) {
                caller.get(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS);
            }
        }
        List<Duration> sorted = waits.stream().sorted().map(Duration::ofNanos).toList();
        Duration longest = sorted.get(sorted.size() - 1);
        System.out.printf(
                "%s: %d turns of a writer, median wait %s, longest %s%n",
                cancelled, sorted.size(), sorted.get(sorted.size() / 2), longest);
        assertThat(longest).isLessThan(LONGEST);
    }

    private static void cancel(LockClient client, String name, LockKind kind, AtomicBoolean end) {
        while (!end.get()) {
            CompletableFuture<Lease> acquired = client.getLock(name, kind)
                    .acquireAsync(Waits.waiting(Await.PATIENCE))
                    .toCompletableFuture();
            if (!acquired.cancel(true)) {
                acquired.thenAccept(Lease::close);
            }
        }
    }
}
