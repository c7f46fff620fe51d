package dev.holdfast.lock.redis.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.SelfCheck;
import dev.holdfast.lock.redis.fixture.ContractKind;
import dev.holdfast.lock.redis.fixture.LeastRights;
import dev.holdfast.lock.redis.fixture.RecordingListener;
import dev.holdfast.lock.redis.fixture.ScriptedThread;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.LogLines;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each right of {@code docs/acl.conf} is needed: without it somebody is told so, and no lock is left without an end. */
// Drops results on purpose, mostly of calls that must fail.
@SuppressWarnings("CheckReturnValue")
@Timeout(value = Await.TEST_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MissingRightTest {

    /** Wanted only in other topologies, with other options, or to clear up what the end of the connection clears up as well. */
    private static final Set<String> FOR_OTHERS = Set.of(
            "+ssubscribe",
            "+sunsubscribe",
            "+spublish",
            "+pubsub|shardnumsub",
            "+cluster|nodes",
            "+cluster|myid",
            "+client|setname",
            "+role",
            "+wait",
            "+ping",
            "+unsubscribe",
            "~redisson_lock_queue:lock:*",
            "~redisson_lock_timeout:lock:*",
            "&redisson_lock__channel:lock:*",
            // How many wait, if more than 20.
            "+llen",
            "~holdfast:record:lock:*",
            // The failover grace.
            "~holdfast:open:*",
            "~holdfast:reign*",
            // The messages to Redisson's clients.
            "&redisson_rwlock:{lock:*",
            "&redisson_rwlock:lock:*");

    /** Nobody is told without it, because the hold of a reader beside others ends with its lease then. */
    private static final String NOT_TOLD = "+hdel";

    @AutoClose
    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
    }

    static Stream<String> neededRights() {
        return LeastRights.rules().stream()
                .filter(MissingRightTest::isRight)
                .filter(rule -> !FOR_OTHERS.contains(rule) && !rule.equals(NOT_TOLD));
    }

    private static boolean isRight(String rule) {
        return rule.startsWith("+") || rule.startsWith("~") || rule.startsWith("&");
    }

    @ParameterizedTest
    @MethodSource("neededRights")
    void missingRightIsNamedWithItsFixAndLeavesNoLockWithoutAnEnd(String right) {
        List<String> complaints = complaintsWithout(Set.of(right));
        assertThat(complaints).anyMatch(complaint -> complaint.contains("docs/acl.conf"));
        assertEveryKeyHasAnEnd();
    }

    @Test
    void rightsForOthersAreNotMissed() {
        assertThat(complaintsWithout(FOR_OTHERS)).isEmpty();
        assertEveryKeyHasAnEnd();
    }

    @Test
    void holdThatMayNotBeDeletedEndsWithItsLease() {
        LeastRights.grant(server, LeastRights.USER, NOT_TOLD);
        try (LockClient client = LeastRights.client(server).build();
                LockClient other = LeastRights.client(server).build()) {
            other.getLock("kept", LockKind.READ).acquire();
            client.getLock("kept", LockKind.READ).acquire().close();
            assertThat(server.cli().hlen("lock:kept"))
                    .as("the mode and two readers")
                    .isEqualTo(3);
            assertThat(server.cli().pttl("lock:kept")).isPositive();
        }
    }

    @Test
    void releaseThatIsRefusedIsLoggedAndDelaysNobody() {
        LeastRights.grant(server, LeastRights.USER, Set.of());
        try (LogLines log = LogLines.record();
                LockClient client = LeastRights.client(server).build()) {
            Lease held = client.getLock("stuck").acquire();
            LeastRights.grant(server, LeastRights.USER, "+del");

            Waits.get(held.releaseAsync().toCompletableFuture());

            assertThat(log.lines()).anyMatch(line -> line.contains("'lock:stuck'") && line.contains("not released"));
            assertThat(server.cli().pttl("lock:stuck")).isPositive();
        }
    }

    static Stream<Arguments> releasesThatTellNobody() {
        return Stream.of("+publish", "+pubsub|numsub")
                .flatMap(right -> Stream.of(ContractKind.values()).map(kind -> arguments(right, kind)));
    }

    /** The waiter finds the free lock when it asks again. */
    @ParameterizedTest
    @MethodSource("releasesThatTellNobody")
    void releaseThatCanTellNobodyIsNotALoss(String right, ContractKind kind) {
        LeastRights.grant(server, LeastRights.USER, right);
        RecordingListener listener = new RecordingListener();
        String name = "untold-" + kind;
        try (LockClient client = LeastRights.client(server).listener(listener).build();
                LockClient other =
                        Waits.client(server).keyPrefix(TwoClients.PREFIX).build()) {
            Lease held = kind.lock(client, name).acquire();
            kind.excluding(other, name).acquireAsync(Waits.waiting(Waits.LONG));
            Await.until(
                    "it waits",
                    TwoClients.PATIENCE,
                    () -> !server.cli()
                            .keys("redisson_lock_queue:{lock:" + name + "*")
                            .isEmpty());

            held.close();
        }
        assertThat(listener.losses).isEmpty();
    }

    private static void assertEveryKeyHasAnEnd() {
        for (String keys : List.of("lock:*", "*{lock:rw*")) {
            assertThat(server.cli().keys(keys)).allMatch(key -> server.cli().pttl(key) != -1);
        }
    }

    private static List<String> complaintsWithout(Set<String> rights) {
        server.flushAll();
        server.scriptFlush();
        LeastRights.grant(server, LeastRights.USER, rights);
        List<String> complaints = new ArrayList<>();
        try (LockClient client = LeastRights.client(server)
                .watchdogTimeout(Duration.ofSeconds(6))
                .build()) {
            do {
                complaints.clear();
                tryAll(client, complaints);
                // A connection that broke, or could not be made, says nothing of rights; the next one stands in a
                // moment.
            } while (complaints.stream().anyMatch(MissingRightTest::isOfAConnection));
        }
        return complaints;
    }

    private static boolean isOfAConnection(String complaint) {
        return complaint.contains("not sent") || complaint.contains("no connection to Redis");
    }

    /** Goes on after each refusal, as an application would. */
    private static void tryAll(LockClient client, List<String> complaints) {
        AcquireOptions once = AcquireOptions.defaults().waitAtMost(Duration.ZERO);
        collect(complaints, () -> check(client, complaints));
        collect(complaints, () -> {
            try (Lease lease = client.getLock("a").acquire(once)) {
                collect(complaints, () -> client.getLock("a").tryLock());
                collect(complaints, () -> lease.extend(Duration.ofSeconds(5)));
                collect(complaints, lease::verify);
                collect(complaints, () -> client.inspect("a"));
                collect(complaints, () -> client.getRecord("a").write(lease, "text", Duration.ofSeconds(5)));
            }
        });
        collect(
                complaints,
                () -> client.getLock("b")
                        .tryAcquire(once.minHold(Duration.ofSeconds(5)))
                        .ifPresent(Lease::close));
        collect(complaints, () -> client.forceRelease("b"));
        collect(complaints, () -> waitFairly(client, complaints));
        collect(complaints, () -> readAndWrite(client, complaints));
        collect(complaints, () -> readBehindTheDead(client));
        // Only a client that has waited knows whether it may subscribe.
        collect(complaints, () -> check(client, complaints));
    }

    private static void check(LockClient client, List<String> complaints) throws Exception {
        SelfCheck check = ScriptedThread.outcome(client.selfCheck().toCompletableFuture());
        check.findings().forEach(finding -> complaints.add(finding.message()));
    }

    private static void readAndWrite(LockClient client, List<String> complaints) throws Exception {
        Lease read = client.getLock("rw", LockKind.READ).acquire(Waits.waiting(Duration.ZERO));
        try {
            var writing = client.getLock("rw", LockKind.WRITE)
                    .acquireAsync(Waits.waiting(Duration.ofSeconds(2)))
                    .toCompletableFuture();
            Await.until(
                    "queued or refused",
                    TwoClients.PATIENCE,
                    () -> writing.isDone() || server.cli().llen("redisson_lock_queue:{lock:rw}") == 1);
            collect(complaints, () -> read.extend(Duration.ofSeconds(5)));
            collect(complaints, read::verify);
            read.close();
            collect(complaints, () -> ScriptedThread.outcome(writing).close());
        } finally {
            read.close();
        }
        collect(complaints, () -> client.inspect("rw"));
        collect(complaints, () -> client.forceRelease("rw"));
    }

    private static void readBehindTheDead(LockClient client) throws Exception {
        server.cli().zadd("redisson_lock_timeout:{lock:behind}", 1, "dead:1:1");
        client.getLock("behind", LockKind.READ)
                .acquire(Waits.waiting(Duration.ZERO))
                .close();
    }

    /** Behind a waiter that has died. */
    private static void waitFairly(LockClient client, List<String> complaints) throws Exception {
        server.cli().rpush("redisson_lock_queue:{lock:f}", "dead:1:1");
        server.cli().zadd("redisson_lock_timeout:{lock:f}", 1, "dead:1:1");
        LeaseLock lock = client.getLock("f", LockKind.FAIR);
        Lease held = lock.acquire(AcquireOptions.defaults().waitAtMost(Duration.ZERO));
        try {
            var next = lock.acquireAsync(AcquireOptions.defaults().lease(Duration.ofSeconds(1)))
                    .toCompletableFuture();
            Await.until(
                    "queued or refused",
                    TwoClients.PATIENCE,
                    () -> next.isDone() || server.cli().llen("redisson_lock_queue:{lock:f}") == 1);
            collect(complaints, () -> client.inspect("f"));
            held.close();
            collect(complaints, () -> ScriptedThread.outcome(next).close());
        } finally {
            held.close();
        }
        collect(complaints, () -> client.forceRelease("f"));
    }

    private static void collect(List<String> complaints, ScriptedThread.Task task) {
        try {
            task.run();
        } catch (Exception refused) {
            complaints.add(refused.getMessage());
        }
    }
}
