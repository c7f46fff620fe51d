package dev.holdfast.lock.redis.composite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.internal.protocol.LockKeys;
import dev.holdfast.lock.redis.fixture.Waits;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Fencing tokens of a lock on a majority of servers, whose last numbers lie as far apart as clocks that are years away. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class QuorumTokensTest {

    /** Numbers drawn by servers whose clocks are many hours apart. */
    private static final List<Long> FAR_APART = List.of(inHours(20), inHours(10), 1L);

    private static QuorumClients clients;

    private final String name = Waits.name("fenced");

    private static long inHours(int hours) {
        return TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()) + TimeUnit.HOURS.toMicros(hours);
    }

    @BeforeAll
    static void start() {
        clients = new QuorumClients(3);
    }

    @AfterAll
    static void stop() {
        clients.close();
    }

    @BeforeEach
    void setFarApart() {
        for (int i = 0; i < FAR_APART.size(); i++) {
            clients.servers.get(i).cli().set(LockKeys.TOKEN_KEY, Long.toString(FAR_APART.get(i)));
        }
    }

    /** Takes the lock while one server is somebody else's, as a client that has seen no token yet. */
    private long tokenWithout(int busy) {
        List<LockClient> newcomer = clients.application();
        setTaken(busy);
        try (Lease lease = QuorumClients.lock(name, newcomer).acquire(Waits.waiting(Waits.LONG))) {
            return lease.fencingToken();
        } finally {
            clients.servers.get(busy).cli().del(name);
            newcomer.forEach(LockClient::close);
        }
    }

    private void setTaken(int server) {
        clients.servers.get(server).cli().hset(name, "somebody:1:1", "1");
        clients.servers.get(server).cli().pexpire(name, 60_000);
    }

    @Test
    void growWhicheverMajorityComesNext() {
        // The first has the greatest number, and is not of the next majority.
        List<Integer> busy = List.of(2, 0, 1, 0, 2, 1);
        List<Long> tokens = new ArrayList<>();

        busy.forEach(server -> tokens.add(tokenWithout(server)));

        assertThat(tokens).isSorted().doesNotHaveDuplicates();
        assertThat(tokens.get(1)).as("as far as the greatest of all").isGreaterThan(FAR_APART.get(0) * 1024);
    }

    @Test
    void growIfAServersGrantIsHandedOverInAClient() {
        List<LockClient> application = clients.application();
        setTaken(2);
        Lease first = QuorumClients.lock(name, application).acquire();
        // Waits for the second server's grant, which was drawn before its token was raised.
        CompletableFuture<Lease> next = application
                .get(1)
                .getLock(name)
                .acquireAsync(Waits.waiting(Waits.LONG))
                .toCompletableFuture();
        Waits.awaitListeners(clients.servers.get(1), name, 1);

        first.close();

        try (Lease second = Waits.get(next)) {
            assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
        }
        clients.servers.get(2).cli().del(name);
    }

    @Test
    void raisedTokensBindEveryLaterGrantOfAnyClient() {
        List<LockClient> here = clients.application();
        List<LockClient> there = clients.application();
        long high = (FAR_APART.get(0) + new Random().nextInt(1_000_000)) * 1024 + 7;

        here.get(2).raiseTokens(name, high).toCompletableFuture().join();

        try (Lease lease = there.get(2).getLock(name).acquire()) {
            assertThat(lease.fencingToken()).isGreaterThan(high);
        }
        // A smaller one lowers nothing.
        here.get(2).raiseTokens(name, 1).toCompletableFuture().join();
        try (Lease lease = there.get(2).getLock(name).acquire()) {
            assertThat(lease.fencingToken()).isGreaterThan(high + 1024);
        }
    }
}
