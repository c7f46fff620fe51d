package dev.holdfast.lock.redis.script;

import static dev.holdfast.lock.redis.fixture.ScriptConnection.now;
import static dev.holdfast.lock.redis.fixture.ScriptConnection.terms;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.internal.lease.Answer;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.protocol.LockProtocol;
import dev.holdfast.lock.internal.protocol.LockProtocol.AcquireRequest;
import dev.holdfast.lock.internal.protocol.LockProtocol.ReleaseResult;
import dev.holdfast.lock.internal.protocol.Scripts;
import dev.holdfast.lock.internal.reign.Grace;
import dev.holdfast.lock.redis.fixture.FairQueue;
import dev.holdfast.lock.redis.fixture.ScriptConnection;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.redis.fixture.WakeChannel;
import dev.holdfast.lock.testing.RedisServer;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A lock of one kind that nobody else uses: what its scripts answer, and what they leave in Redis. */
final class ScriptedLock implements AutoCloseable {

    /** What lock scripts serve. A semaphore has one permit here. */
    enum Kind {
        PLAIN,
        FAIR,
        SEMAPHORE,
        FAIR_SEMAPHORE,
        READ,
        WRITE,
        SEVERAL
    }

    /** How long the place of an owner that waits counts as alive. */
    static final long PLACE_MILLIS = 5_000;

    private final RedisServer server;
    private final ScriptConnection connection;
    private final String key = Waits.name("scripted");
    private final List<WakeChannel> channels = new ArrayList<>();
    private final List<String> keys;

    /** The queue of the lock; of several names, that of the first. */
    final FairQueue queue;

    private final LockProtocol protocol;
    private final LockProtocol excluding;

    ScriptedLock(RedisServer server, Kind kind) {
        this.server = server;
        this.queue = new FairQueue(server, key);
        this.connection = new ScriptConnection(server);
        this.keys = kind == Kind.SEVERAL ? List.of(key, key + "-b") : List.of(key);
        this.protocol = protocol(kind);
        this.excluding = kind == Kind.READ ? protocol(Kind.WRITE) : protocol;
    }

    private LockProtocol protocol(Kind kind) {
        return switch (kind) {
            case PLAIN -> ScriptConnection.protocol(LockKind.REENTRANT, connection.gateway);
            case FAIR -> ScriptConnection.protocol(LockKind.FAIR, connection.gateway);
            case SEMAPHORE -> ScriptConnection.protocol(LockKind.SEMAPHORE, connection.gateway);
            case FAIR_SEMAPHORE -> ScriptConnection.protocol(LockKind.FAIR_SEMAPHORE, connection.gateway);
            case READ -> ScriptConnection.protocol(LockKind.READ, connection.gateway);
            case WRITE -> ScriptConnection.protocol(LockKind.WRITE, connection.gateway);
            case SEVERAL ->
                new LockProtocol(
                        LockKind.REENTRANT, keys, connection.gateway, ScriptConnection.KEYS, 0, true, Grace.OFF);
        };
    }

    /** An owner whose place must ask again, with one permit. */
    static String owner(String client, int grant) {
        return client + ":1:" + grant + ":0:1";
    }

    private Answer acquire(LockProtocol by, String owner, long leaseMillis, long waitMillis, boolean hears) {
        return now(by.acquire(new AcquireRequest(key, key, owner, terms(leaseMillis), 1, 0, waitMillis, hears, null)));
    }

    /** Acquires the read lock for a thread that holds the write lock as another owner. */
    Answer acquireBeside(String writer, String owner, long leaseMillis) {
        return now(protocol.acquire(new AcquireRequest(key, key, owner, terms(leaseMillis), 1, 0, 0, true, writer)));
    }

    /** Acquires without a wait. */
    Answer acquire(String owner, long leaseMillis) {
        return acquire(protocol, owner, leaseMillis, 0, true);
    }

    /** Acquires for an owner that waits. */
    Answer waits(String owner) {
        return acquire(protocol, owner, 20_000, PLACE_MILLIS, true);
    }

    /** Acquires for an owner that waits and whose client receives no messages. */
    Answer waitsDeaf(String owner) {
        return acquire(protocol, owner, 20_000, 5_000, false);
    }

    Grant granted(String owner, long leaseMillis) {
        return (Grant) acquire(owner, leaseMillis);
    }

    /** Acquires, without a wait, what is never held at once with this lock. */
    Answer acquireExcluding(String owner, long leaseMillis) {
        return acquire(excluding, owner, leaseMillis, 0, true);
    }

    /** The same for an owner that waits. */
    Answer waitExcluding(String owner) {
        return acquire(excluding, owner, 5_000, 5_000, true);
    }

    /** Releases what is never held at once with this lock, and lets another owner wait for it before Redis has answered. */
    Answer releaseExcludingToWaiter(String owner, String waiter) {
        var released = excluding.release(key, owner, 0, 0);
        Answer answer = waitExcluding(waiter);
        now(released);
        return answer;
    }

    ReleaseResult releaseExcluding(String owner) {
        return now(excluding.release(key, owner, 0, 0));
    }

    ReleaseResult release(String owner, long keepMillis) {
        return release(owner, keepMillis, 0);
    }

    /** Releases for a client that has seen this number drawn. */
    ReleaseResult release(String owner, long keepMillis, long seen) {
        return now(protocol.release(key, owner, keepMillis, seen));
    }

    boolean extend(Grant grant, long leaseMillis) {
        return now(protocol.extend(grant, leaseMillis));
    }

    /** As the watchdog renews it: an answer for each key. */
    List<Object> renew(Grant grant, long leaseMillis) {
        return renew(keys, protocol.renewal(grant, leaseMillis));
    }

    List<Object> renew(List<String> keys, List<String> arguments) {
        return connection.gateway.run(protocol.renewal(), keys, arguments).join();
    }

    /** Asks its holder to stop, as somebody does who has seen this grant. */
    boolean requestStop(Grant grant) {
        List<Object> answer = connection
                .gateway
                .run(
                        Scripts.REQUEST_STOP.get(),
                        List.of(key),
                        List.of(grant.owner(), Long.toString(grant.firstToken())))
                .join();
        return answer.get(0).equals(1L);
    }

    private List<String> allKeys() {
        return server.cli().keys("*" + key + "*");
    }

    /** Everything of the lock that is in Redis; ends of permits without their times. */
    Map<String, String> state() {
        RedisCommands<String, String> cli = server.cli();
        Map<String, String> state = new TreeMap<>();
        for (String each : allKeys()) {
            String content = switch (cli.type(each)) {
                case "hash" -> new TreeMap<>(cli.hgetall(each)).toString();
                case "list" -> cli.lrange(each, 0, -1).toString();
                case "zset" -> cli.zrange(each, 0, -1).toString();
                default -> cli.get(each);
            };
            state.put(each, content.replaceAll("\\b\\d{13}\\b", "time"));
        }
        return state;
    }

    /** The ms that the first of its keys has left; -1 if it has no end. */
    long left() {
        return allKeys().stream().mapToLong(server.cli()::pttl).min().orElseThrow();
    }

    /** Lets Redis keep what is held for so long, or for ever. */
    void outliveLease(@Nullable Duration time) {
        for (String each : allKeys()) {
            if (time == null) {
                server.cli().persist(each);
            } else {
                server.cli().pexpire(each, time);
            }
        }
    }

    /** The places in its queue; of several names, in the queues of all. */
    List<String> places() {
        return server.cli().keys("redisson_lock_queue:*" + key + "*").stream()
                .flatMap(queue -> server.cli().lrange(queue, 0, -1).stream())
                .toList();
    }

    /** How many of its names are held. */
    long namesHeld() {
        return server.cli().exists(keys.toArray(String[]::new));
    }

    /** What Redis may do at any time. */
    void lose() {
        server.cli().del(allKeys().toArray(String[]::new));
    }

    /** Loses its own keys alone: those of its queue, and of each hold of a read/write lock, stay. */
    void loseKeys() {
        server.cli().del(keys.toArray(String[]::new));
    }

    /** Listens as the client of that place would. */
    WakeChannel listening(String place) {
        return listening(WakeChannel.of(server, place.substring(0, place.indexOf(':'))));
    }

    WakeChannel listening(WakeChannel channel) {
        channels.add(channel);
        return channel;
    }

    boolean isHeldBy(String owner) {
        return server.cli().hexists(key, owner);
    }

    /** The token of an owner's hold or permit. */
    String token(String owner) {
        String permit = server.cli().hget(key, owner);
        return permit.contains(":") ? permit.split(":")[2] : server.cli().hget(key, "holdfast:token");
    }

    @Override
    public void close() {
        channels.forEach(WakeChannel::close);
        allKeys().forEach(server.cli()::del);
        connection.close();
    }
}
