package dev.holdfast.lock.simulation;

import dev.holdfast.lock.internal.connection.RedisFailure;
import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.simulation.process.Subscriber;
import dev.holdfast.lock.simulation.process.Subscribers;
import dev.holdfast.lock.test.memory.CommandException;
import dev.holdfast.lock.test.memory.MemoryRedis;
import dev.holdfast.lock.test.memory.Messages;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** A Redis with its own clock. It can lose data, refuse commands, pause, be away, and be replaced by a replica that lags. */
final class SimulatedServer extends Actor implements Messages {

    /** The reason for which writes are refused. */
    enum Refusal {
        NONE(""),
        OOM("OOM command not allowed when used memory > 'maxmemory'."),
        READONLY("READONLY You can't write against a read only replica."),
        NOREPLICAS("NOREPLICAS Not enough good replicas to write.");

        private final String message;

        Refusal(String message) {
            this.message = message;
        }
    }

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final Set<String> GROWS = Set.of("hset", "set", "getset", "zadd", "rpush");
    private static final Set<String> WRITES =
            Set.of("hset", "set", "getset", "zadd", "rpush", "del", "pexpire", "hdel", "lrem", "zrem");
    private static final int MOST_COPIES = 8;

    private final World world;
    /** When its clock began. */
    private final long createdAt;

    private final MemoryRedis redis;
    private final Subscribers subscribers = new Subscribers();
    private final Deque<Map<String, Object>> copies = new ArrayDeque<>();
    private final Set<String> scripts = new LinkedHashSet<>();
    private boolean forgetful;
    private long jumped;
    /** The total time by which the server's clock was set back. A key may live longer by this time. */
    long setBackMillis;

    private int reigns;
    /** How often the server has lost something, or another reign began. */
    int losses;
    /** When that was last. */
    long lostAt;

    private boolean wrote;
    boolean away;
    Refusal refusal = Refusal.NONE;
    long executions;
    /** Called with each run of a script; null if no one observes the server. */
    @Nullable
    Witness witness;

    /** The numbers of listeners that the server reported to the current script, in order. */
    final List<Long> heard = new ArrayList<>();

    /** The messages of the current script, in order. */
    final List<String> published = new ArrayList<>();

    /** Called with the name of a lock before it is released by force. */
    Consumer<String> onForced = name -> {};

    /** Called with the first token of a grant whose holder is asked to stop. */
    LongConsumer onStopRequested = token -> {};

    /** Called with each failure of a script for which Redis has no reason. */
    Consumer<String> onFault = what -> {};

    /** Runs the requested script, or another one instead, and may compare them. */
    interface Witness {
        List<Object> run(Script script, List<String> keys, List<String> args, Execution execution);
    }

    /** Runs a script. */
    interface Execution {
        List<Object> run(Script script, List<String> keys, List<String> args);
    }

    SimulatedServer(World world, String name) {
        super(name);
        this.world = world;
        this.createdAt = world.now();
        this.redis = new MemoryRedis(() -> world.now() + jumped, START, this, this::check);
    }

    private void check(String command, List<String> args) {
        Marks.look(command, args);
        if (!WRITES.contains(command)) {
            return;
        }
        boolean refused = refusal == Refusal.OOM ? !wrote && GROWS.contains(command) : refusal != Refusal.NONE;
        if (refused) {
            throw new CommandException(refusal.message);
        }
        wrote = true;
    }

    List<Object> run(Script script, List<String> keys, List<String> args) {
        wrote = false;
        executions++;
        Marks.begin();
        heard.clear();
        published.clear();
        if (script.name().equals("force")) {
            onForced.accept(keys.get(0));
        }
        try {
            List<Object> answer =
                    witness == null ? redis.run(script, keys, args) : witness.run(script, keys, args, redis::run);
            if (script.name().equals("request-stop") && answer.contains(1L)) {
                onStopRequested.accept(Long.parseLong(args.get(1)));
            }
            return answer;
        } catch (RedisFailure failed) {
            if (isFault(failed)) {
                onFault.accept(script.name() + " " + keys + " " + args + " fails: " + failed.getMessage());
            }
            throw failed;
        }
    }

    /** Returns whether a script failed by itself, or was sent arguments that it cannot use. What a server refuses has a code of its own. */
    private static boolean isFault(RedisFailure failure) {
        return String.valueOf(failure.getMessage()).startsWith("ERR ");
    }

    /** Returns another server with the same clock, which delivers messages differently. Called when the simulation begins. */
    MemoryRedis twin(Messages messages) {
        return new MemoryRedis(() -> world.now() + jumped, START, messages, Marks::look);
    }

    /** Returns a copy of its data. */
    Map<String, Object> copy() {
        return redis.copy();
    }

    int listening(String channel) {
        return subscribers.count(channel);
    }

    @Nullable
    Object command(String name, List<String> args) {
        executions++;
        if (refusal != Refusal.NONE && WRITES.contains(name)) {
            throw new CommandException(refusal.message);
        }
        return redis.command(name, args.toArray(String[]::new));
    }

    /** Runs a command for a check, without counting or refusing it. */
    @Nullable
    Object look(String name, String... args) {
        return redis.command(name, args);
    }

    List<String> keys() {
        return redis.keys();
    }

    /** Returns its time in milliseconds since the epoch. */
    long millis() {
        return look("time") instanceof List<?> time
                ? Long.parseLong(String.valueOf(time.get(0))) * 1_000
                        + Long.parseLong(String.valueOf(time.get(1))) / 1_000
                : 0;
    }

    /** Returns what is wrong with the keys of the given locks, or null. */
    @Nullable
    String brokenContract(List<String> locks) {
        Map<String, Stored> stored = new HashMap<>();
        redis.view((key, value, millisLeft) -> stored.put(key, new Stored(value, millisLeft)));
        long now = millis();
        return locks.stream()
                .map(lock -> WireContract.broken(stored::get, lock, now))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    private record Stored(Object value, long millisLeft) implements WireContract.Key {}

    /** Returns the last number that was drawn for a token. */
    long lastDrawn() {
        return redis.command("get", "holdfast:token") instanceof String drawn ? Long.parseLong(drawn) : 0;
    }

    void jump(long millis) {
        jumped += TimeUnit.MILLISECONDS.toNanos(millis);
        setBackMillis += Math.max(0, -millis);
    }

    /** Keeps a copy of the current state, as a replica or a file on disk would. */
    void remember() {
        copies.addLast(redis.copy());
        if (copies.size() > MOST_COPIES) {
            copies.removeFirst();
        }
    }

    void lose() {
        losses++;
        lostAt = world.now();
        redis.restore(Map.of());
    }

    /** Begins another reign, as every restart and every promotion does. */
    void beginReign() {
        reigns++;
        losses++;
        lostAt = world.now();
        redis.beginReign();
    }

    void restartEmpty() {
        beginReign();
        lose();
    }

    /** Lets a replica take its place, which has the state of some copies ago. */
    void failOver(int copiesAgo) {
        beginReign();
        goBack(copiesAgo);
    }

    /** Returns the master of the reign that ends now, with the same data and clock. It serves on until its replicas are missed. */
    SimulatedServer formerMaster() {
        SimulatedServer former = new SimulatedServer(world, name + " before");
        former.jumped = jumped + former.createdAt - createdAt;
        former.witness = witness;
        former.onFault = onFault;
        former.redis.restore(redis.copy());
        for (int i = 0; i < reigns; i++) {
            former.beginReign();
        }
        return former;
    }

    /** Lets another server deliver the messages of this one to a connection. */
    void leave(Subscriber link, SimulatedServer former) {
        subscribers.channelsOf(link).forEach(channel -> former.subscribe(channel, link));
        forget(link);
    }

    /** Returns whether locks are granted to clients with a grace. */
    boolean isOpen() {
        return redis.command("get", "holdfast:open:" + redis.reign()) != null;
    }

    /** Lets the server grant locks from the beginning to clients with a grace. */
    void open() {
        redis.command("set", "holdfast:open:" + redis.reign(), "1");
    }

    /** Restores the state of some copies ago. */
    private void goBack(int copiesAgo) {
        Map<String, Object> copy = copies.isEmpty()
                ? Map.of()
                : copies.stream()
                        .skip(Math.max(0, copies.size() - copiesAgo))
                        .findFirst()
                        .orElse(Map.of());
        redis.restore(copy);
    }

    void evict(String key) {
        redis.command("del", key);
    }

    void subscribe(String channel, Subscriber link) {
        subscribers.add(channel, link);
    }

    boolean isSubscribed(String channel, Subscriber link) {
        return subscribers.has(channel, link);
    }

    void unsubscribe(String channel, Subscriber link) {
        subscribers.remove(channel, link);
    }

    /** Removes a connection that has ended, when the server notices this. */
    void forget(Subscriber link) {
        subscribers.forget(link);
    }

    /** Removes all connections, as a restart does. */
    void forgetEverybody() {
        subscribers.clear();
    }

    /** Forgets all scripts. From now on, the server knows only scripts that are sent again. */
    void forgetScripts() {
        forgetful = true;
        scripts.clear();
    }

    boolean knows(Script script) {
        return !forgetful || scripts.contains(script.sha());
    }

    void learn(Script script) {
        scripts.add(script.sha());
    }

    @Override
    public long publish(String channel, String message) {
        int listening = subscribers.send(channel, message);
        heard.add((long) listening);
        published.add(message);
        return listening;
    }

    @Override
    public long listeners(String channel) {
        long listening = listening(channel);
        heard.add(listening);
        return listening;
    }
}
