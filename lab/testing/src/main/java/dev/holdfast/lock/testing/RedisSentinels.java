package dev.holdfast.lock.testing;

import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A master, two replicas and three sentinels that agree about them. A master that is dead or does not answer for
 * {@value #DOWN_AFTER_MILLIS} ms is replaced.
 */
public final class RedisSentinels implements AutoCloseable {

    /** The name by which clients ask for the master. */
    public static final String MASTER_NAME = "holdfast";

    static final int DOWN_AFTER_MILLIS = 1_000;

    /** Longer than any test. */
    private static final int NEVER_DOWN = 3_600_000;

    private static final Duration LIMIT = Duration.ofSeconds(60);
    /** Longer than a replacement takes. */
    private static final Duration AGAIN = Duration.ofSeconds(5);

    private final List<RedisServer> servers;
    private final List<Sentinel> sentinels = new ArrayList<>();

    private RedisSentinels(List<RedisServer> servers) {
        this.servers = servers;
    }

    /** Starts the group, its servers with these lines of a redis.conf, and waits until the sentinels agree. */
    public static RedisSentinels start(String... confLines) {
        return start(DOWN_AFTER_MILLIS, confLines);
    }

    /** Starts a group that keeps its master, even if a busy machine delays the answers of a healthy one. */
    public static RedisSentinels startWithoutFailover() {
        return start(NEVER_DOWN);
    }

    private static RedisSentinels start(int downAfterMillis, String... confLines) {
        List<String> lines = new ArrayList<>(Replication.CONFIGURATION);
        lines.addAll(List.of(confLines));
        List<RedisServer> servers = Parallel.start(3, () -> ServerStart.plain(lines));
        RedisSentinels group = new RedisSentinels(servers);
        try {
            group.bringUp(downAfterMillis);
            return group;
        } catch (RuntimeException e) {
            group.close();
            throw e;
        }
    }

    private void bringUp(int downAfterMillis) {
        RedisServer master = servers.get(0);
        List<RedisServer> replicas = servers.subList(1, servers.size());
        replicas.forEach(replica -> Replication.follow(replica, master));
        Replication.awaitLinks(replicas);
        // Only now: a sentinel learns of the replicas when it first asks the master, and then not for seconds.
        Parallel.start(3, () -> Sentinel.start(master.port(), downAfterMillis))
                .forEach(server -> sentinels.add(new Sentinel(server)));
        sentinels.forEach(Sentinel::hurry);
        Await.until("the sentinels agree", LIMIT, () -> sentinels.stream().allMatch(Sentinel::knowsAll));
    }

    /** A new URI of the whole group: the sentinels and the master's name. */
    public RedisURI uri() {
        RedisURI.Builder uri =
                RedisURI.Builder.sentinel("127.0.0.1", sentinels.get(0).port(), MASTER_NAME);
        sentinels.stream().skip(1).forEach(each -> uri.withSentinel("127.0.0.1", each.port()));
        return uri.build();
    }

    /** The master and the replicas, in no order that means anything. */
    public List<RedisServer> servers() {
        return servers;
    }

    public List<RedisServer> sentinels() {
        return sentinels.stream().map(Sentinel::server).toList();
    }

    /** The master that the first sentinel at work names. */
    public RedisServer master() {
        return byPort(atWork().get(0).masterPort());
    }

    public List<RedisServer> replicas() {
        RedisServer master = master();
        return servers.stream().filter(server -> server != master).toList();
    }

    /** Makes the sentinels promote a replica while the master lives, and returns the new master. */
    public RedisServer failover() {
        return failover(false);
    }

    /** Does the same. If it is coordinated, which Valkey 9 can do, the master first waits until the replica has everything. */
    public RedisServer failover(boolean coordinated) {
        RedisServer old = master();
        // A sentinel finds no replica fit while its last INFO of them is older than three periods, so 900 ms. The
        // machine
        // may have stood still for that long, also between the request and the choice: then the sentinel gives up.
        AtomicLong next = new AtomicLong(System.nanoTime());
        Await.until("a sentinel replaces " + old, LIMIT, () -> {
            Sentinel first = atWork().get(0);
            if (first.masterPort() == old.port() && System.nanoTime() - next.get() >= 0) {
                first.failover(coordinated);
                next.set(System.nanoTime() + AGAIN.toNanos());
            }
            return isReplaced(old);
        });
        return master();
    }

    /** Waits until all sentinels at work name the same other master and it takes writes, and returns it. */
    public RedisServer awaitNewMaster(RedisServer old) {
        Await.until("a new master in the place of " + old, LIMIT, () -> isReplaced(old));
        return master();
    }

    /** Cuts replication from the master: what it accepts from now on it alone knows. Nobody else notices. */
    public void cutReplication() {
        Replication.cut(master());
    }

    @Override
    public void close() {
        sentinels.forEach(Sentinel::close);
        Parallel.close(servers);
    }

    private boolean isReplaced(RedisServer old) {
        List<Integer> named =
                atWork().stream().map(Sentinel::masterPort).distinct().toList();
        return named.size() == 1 && named.get(0) != old.port() && Replication.isMaster(byPort(named.get(0)));
    }

    private List<Sentinel> atWork() {
        return sentinels.stream().filter(each -> each.server().isServing()).toList();
    }

    private RedisServer byPort(int port) {
        return servers.stream()
                .filter(server -> server.port() == port)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("No server of this group has port " + port));
    }
}
