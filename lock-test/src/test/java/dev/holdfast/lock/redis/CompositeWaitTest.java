package dev.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.composite.MultiLock;
import dev.holdfast.lock.composite.QuorumLock;
import dev.holdfast.lock.internal.background.Background;
import dev.holdfast.lock.internal.background.Ticker;
import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.internal.connection.ConnectionSettings;
import dev.holdfast.lock.internal.connection.RedisFailure;
import dev.holdfast.lock.internal.connection.RedisFailure.Kind;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.test.memory.MemoryGateway;
import dev.holdfast.lock.test.memory.MemoryGateway.Command;
import dev.holdfast.lock.test.memory.MemoryGateway.Traffic;
import dev.holdfast.lock.test.memory.MemoryRedis;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.VirtualClock;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How long a lock made of locks waits, in virtual time. */
@Timeout(Await.TEST_SECONDS)
class CompositeWaitTest {

    private static final Duration WAIT = Duration.ofSeconds(1);
    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(2);
    private static final Duration STEP = Duration.ofMillis(20);
    private static final Duration RENEWAL = Duration.ofSeconds(11);

    private final VirtualClock clock = new VirtualClock();
    private final VirtualClock.Scheduler steps = clock.scheduler();
    private final MemoryRedis server = newServer();
    private final AtomicBoolean silent = new AtomicBoolean();

    /** No answer comes while the server is silent. */
    private final Traffic traffic = new Traffic() {
        @Override
        public <T> CompletableFuture<T> send(String name, List<String> keys, List<String> args, Command<T> command) {
            if (!silent.get()) {
                return Traffic.executed(command);
            }
            CompletableFuture<T> answer = new CompletableFuture<>();
            clock.after(
                    COMMAND_TIMEOUT,
                    () -> answer.completeExceptionally(RedisFailure.simulated(Kind.NO_ANSWER, "no answer")));
            return answer;
        }
    };

    private MemoryRedis newServer() {
        return new MemoryRedis(clock, Instant.EPOCH, Runnable::run);
    }

    private final RedisGateway.Opener opener = opener(server);

    private RedisGateway.Opener opener(MemoryRedis redis) {
        return new RedisGateway.Opener() {
            @Override
            public RedisGateway open(ConnectionSettings settings, Timer timer, Ticker ticker) {
                return new MemoryGateway(redis, traffic, ticker);
            }

            @Override
            public Background background() {
                return virtualBackground();
            }
        };
    }

    /** The steps of locks made of locks take place on the test's clock. */
    private Background virtualBackground() {
        return (Background) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Background.class},
                (proxy, method, args) -> switch (method.getName()) {
                    case "nanoTime" -> clock.now();
                    case "compositeSteps" -> steps;
                    default -> realBackground(method, args);
                });
    }

    private static Object realBackground(Method method, Object[] args) throws Throwable {
        try {
            return method.invoke(Background.SYSTEM, args);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private LockClient client(RedisGateway.Opener redis) {
        return VirtualClients.builder(clock, redis)
                .pollInterval(Duration.ofMillis(600))
                .commandTimeout(COMMAND_TIMEOUT)
                .build();
    }

    private LockClient direct(MemoryRedis redis) {
        return client((settings, timer, ticker) -> new MemoryGateway(redis, Traffic.DIRECT, ticker));
    }

    private static LeaseLock both(LockClient locks) {
        return MultiLock.of(List.of(locks.getLock("a"), locks.getLock("b")));
    }

    /** One member is granted, and Redis falls silent before the other is asked again: neither that request nor the release is answered. */
    @Test
    void callerWaitsOneCommandTimeoutAtMostBeyondItsWaitIfRedisFallsSilent() {
        LockClient other = direct(server);
        Lease busy = other.getLock("b").acquire(AcquireOptions.defaults().lease(Duration.ofHours(1)));
        LockClient locks = client(opener);
        CompletableFuture<Lease> wanted = both(locks)
                .acquireAsync(AcquireOptions.defaults().waitAtMost(WAIT))
                .toCompletableFuture();
        Duration waited = Duration.ZERO;
        while (!wanted.isDone()) {
            clock.advance(STEP);
            waited = waited.plus(STEP);
            silent.set(waited.compareTo(WAIT.dividedBy(2)) > 0);
        }

        assertThat(wanted).isCompletedExceptionally();
        // The request was still under way when the wait ended.
        assertThat(waited).isGreaterThan(WAIT.plus(STEP)).isLessThanOrEqualTo(WAIT.plus(COMMAND_TIMEOUT));

        silent.set(false);
        clock.advance(COMMAND_TIMEOUT.multipliedBy(2));
        assertThat(other.getLock("a").tryAcquire()).isPresent();
        assertThat(busy.isHeld()).isTrue();
    }

    /** Redis keeps the first member for as short as the lease, and the second one is busy for longer. */
    @Test
    void callerGetsAllMembersThoughTheLeaseOfTheFirstEndsWhileItWaitsForAnother() {
        LockClient other = direct(server);
        Lease busy = other.getLock("b").acquire(AcquireOptions.defaults().lease(WAIT.multipliedBy(3)));
        LockClient locks = client(opener);
        CompletableFuture<Lease> wanted = both(locks)
                .acquireAsync(AcquireOptions.defaults().lease(WAIT).waitAtMost(WAIT.multipliedBy(10)))
                .toCompletableFuture();
        clock.advance(WAIT.multipliedBy(2));
        assertThat(busy.isHeld()).isTrue();

        clock.advance(WAIT.plus(WAIT.dividedBy(2)));

        assertThat(wanted).isCompletedWithValueMatching(Lease::isHeld);
        assertThat(other.getLock("a").tryAcquire()).isEmpty();
        assertThat(other.getLock("b").tryAcquire()).isEmpty();
    }

    @Test
    void closingALostLeaseClearsTheInterruptThatItsHolderHasNotNoticed() {
        AcquireOptions interrupting = AcquireOptions.defaults()
                .lease(WAIT)
                .boundTo(Thread.currentThread())
                .interruptOnLoss();
        CompletableFuture<Lease> wanted =
                both(client(opener)).acquireAsync(interrupting).toCompletableFuture();
        clock.advance(STEP);
        Lease lease = wanted.join();
        clock.advance(WAIT);
        assertThat(Thread.currentThread().isInterrupted()).isTrue();

        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);

        assertThat(Thread.interrupted()).isFalse();
    }

    private List<MemoryRedis> threeServers() {
        return Stream.generate(this::newServer).limit(3).toList();
    }

    private List<LockClient> clients(List<MemoryRedis> servers) {
        return servers.stream().map(redis -> client(opener(redis))).toList();
    }

    private LeaseLock majority(List<MemoryRedis> servers) {
        return QuorumLock.of("majority", clients(servers));
    }

    /** Clients of three servers. Only the last ones are open. */
    private List<LockClient> threeClients(int open) {
        List<LockClient> clients = clients(threeServers());
        clients.stream().limit(3 - open).forEach(LockClient::close);
        return clients;
    }

    /** The wait is shorter than the pause between two rounds. */
    @Test
    void majorityThatIsDownRefusesAtTheEndOfAShortWait() {
        CompletableFuture<Lease> wanted = QuorumLock.of("majority", threeClients(1))
                .acquireAsync(AcquireOptions.defaults().waitAtMost(STEP.dividedBy(2)))
                .toCompletableFuture();
        clock.advance(STEP);

        assertThat(wanted).isCompletedExceptionally();
        assertThatThrownBy(wanted::join).hasCauseInstanceOf(LockUnavailableException.class);
    }

    /** A server that does not grant is asked again while the whole lease is held. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void majorityThatIsReleasedLeavesNothingToDo(int open) {
        List<LockClient> clients = threeClients(open);
        CompletableFuture<Lease> wanted = QuorumLock.of("majority", clients)
                .acquireAsync(AcquireOptions.defaults())
                .toCompletableFuture();
        clock.advance(STEP);
        assertThat(wanted).isCompletedWithValueMatching(Lease::isHeld);
        assertThat(steps.pending()).isEqualTo(3 - open);

        wanted.join().close();
        clock.advance(STEP);

        assertThat(steps.pending()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void leaseThatAMajorityForgetsIsLostAtTheNextRenewalOrVerification(boolean verified) {
        List<MemoryRedis> servers = threeServers();
        CompletableFuture<Lease> wanted =
                majority(servers).acquireAsync(AcquireOptions.defaults()).toCompletableFuture();
        clock.advance(STEP);
        assertThat(wanted).isCompletedWithValueMatching(Lease::isHeld);
        List<LeaseLoss> told = new ArrayList<>();
        wanted.join().onLost(told::add);
        servers.stream().limit(2).forEach(redis -> redis.command("del", "majority"));

        if (verified) {
            assertThat(wanted.join().verify()).isFalse();
        } else {
            clock.advance(RENEWAL);
        }

        assertThat(told).extracting(LeaseLoss::cause).containsExactly(LossCause.GONE);
        assertThat(servers.get(2).keys()).doesNotContain("majority");
    }

    /** One of three clients may be closed for good, and the others decide. */
    @Test
    void majorityWaitsForServersThatAreDownBesideAClientThatIsClosed() {
        silent.set(true);
        CompletableFuture<Lease> wanted = QuorumLock.of("majority", threeClients(2))
                .acquireAsync(AcquireOptions.defaults().waitAtMost(COMMAND_TIMEOUT.multipliedBy(10)))
                .toCompletableFuture();
        clock.advance(COMMAND_TIMEOUT.multipliedBy(5));
        assertThat(wanted).isNotDone();

        silent.set(false);
        clock.advance(COMMAND_TIMEOUT);

        assertThat(wanted).isCompletedWithValueMatching(Lease::isHeld);
    }

    /** The step that would go on with the lease of one server is still to come when the caller gives up. */
    @Test
    void majorityReleasesTheServerThatItGotAsItsCallerGaveUp() {
        List<MemoryRedis> servers = threeServers();
        LockClient first = direct(servers.get(0));
        Lease busy = first.getLock("majority").acquire();
        Lease alsoBusy = direct(servers.get(1)).getLock("majority").acquire();
        CompletableFuture<Lease> wanted = majority(servers)
                .acquireAsync(AcquireOptions.defaults().waitAtMost(WAIT.multipliedBy(10)))
                .toCompletableFuture();
        clock.advance(WAIT);
        assertThat(first.inspect("majority").orElseThrow().queue()).hasSize(1);

        busy.close();
        wanted.cancel(false);
        clock.advance(STEP);

        assertThat(first.getLock("majority").tryAcquire()).isPresent();
        assertThat(alsoBusy.isHeld()).isTrue();
    }

    /** The whole lease asks for it again and again. It would leave a place behind if it waited. */
    @Test
    void majorityDoesNotWaitForTheServerThatSomebodyElseHasAndTakesItLater() {
        List<MemoryRedis> servers = threeServers();
        LockClient other = direct(servers.get(2));
        Lease busy = other.getLock("majority").acquire();
        CompletableFuture<Lease> wanted =
                majority(servers).acquireAsync(AcquireOptions.defaults()).toCompletableFuture();
        clock.advance(RENEWAL.multipliedBy(3));

        assertThat(wanted).isCompletedWithValueMatching(Lease::isHeld);
        assertThat(busy.isHeld()).isTrue();
        assertThat(other.inspect("majority").orElseThrow().queue()).isEmpty();

        busy.close();
        clock.advance(RENEWAL);

        assertThat(servers.get(2).keys()).contains("majority");
    }
}
