package dev.holdfast.lock.simulation;

import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.test.memory.CommandException;
import dev.holdfast.lock.test.memory.MemoryRedis;
import dev.holdfast.lock.test.memory.Messages;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A Redis with a clock of its own, which can lose what it keeps, refuse, stand still, be away, and be replaced by a replica that lags. */
final class SimulatedServer extends Actor implements Messages {

    /** Why writes are refused. */
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
    private final MemoryRedis redis;
    private final Map<String, Set<MessageLink>> subscribers = new LinkedHashMap<>();
    private final Deque<Map<String, Object>> copies = new ArrayDeque<>();
    private final Set<String> scripts = new LinkedHashSet<>();
    private boolean forgetful;
    private long jumped;
    /** By how much its clock was set back, all in all: a key may live for so much longer. */
    long setBackMillis;

    private boolean wrote;
    boolean away;
    Refusal refusal = Refusal.NONE;
    long executions;
    /** Sees each run of a script; null if nobody does. */
    @Nullable
    Witness witness;

    /** What the present script was told about listeners, in this order. */
    final List<Long> heard = new ArrayList<>();

    /** Runs a script that the server is asked to run, or another one in its place, and may compare. */
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
        this.redis = new MemoryRedis(() -> world.now() + jumped, START, this, this::check);
    }

    private void check(String command, List<String> args) {
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
        heard.clear();
        return witness == null ? redis.run(script, keys, args) : witness.run(script, keys, args, redis::run);
    }

    /** Another server by the same clock, whose messages take another way. Made when the simulation begins. */
    MemoryRedis twin(Messages messages) {
        return new MemoryRedis(() -> world.now() + jumped, START, messages, (command, args) -> {});
    }

    /** What it keeps now. */
    Map<String, Object> copy() {
        return redis.copy();
    }

    int listening(String channel) {
        return subscribers.getOrDefault(channel, Set.of()).size();
    }

    @Nullable
    Object command(String name, List<String> args) {
        executions++;
        if (refusal != Refusal.NONE && WRITES.contains(name)) {
            throw new CommandException(refusal.message);
        }
        return redis.command(name, args.toArray(String[]::new));
    }

    /** Looks without being a client. */
    @Nullable
    Object look(String name, String... args) {
        return redis.command(name, args);
    }

    List<String> keys() {
        return redis.keys();
    }

    void jump(long millis) {
        jumped += TimeUnit.MILLISECONDS.toNanos(millis);
        setBackMillis += Math.max(0, -millis);
    }

    /** A replica's state from now on, or that of a file on disk. */
    void remember() {
        copies.addLast(redis.copy());
        if (copies.size() > MOST_COPIES) {
            copies.removeFirst();
        }
    }

    void lose() {
        redis.restore(Map.of());
    }

    /** Goes back to what it was some copies ago. */
    void goBack(int copiesAgo) {
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

    void subscribe(String channel, MessageLink link) {
        subscribers.computeIfAbsent(channel, name -> new LinkedHashSet<>()).add(link);
    }

    void unsubscribe(String channel, MessageLink link) {
        Set<MessageLink> present = subscribers.get(channel);
        if (present != null && present.remove(link) && present.isEmpty()) {
            subscribers.remove(channel);
        }
    }

    /** The connection has ended, and the server has noticed. */
    void forget(MessageLink link) {
        List.copyOf(subscribers.keySet()).forEach(channel -> unsubscribe(channel, link));
    }

    /** A restart: nobody is connected. */
    void forgetEverybody() {
        subscribers.clear();
    }

    /** From now on, only those that are sent again are known. */
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
        Set<MessageLink> present = subscribers.getOrDefault(channel, Set.of());
        present.forEach(link -> link.send(channel, message));
        heard.add((long) present.size());
        return present.size();
    }

    @Override
    public long listeners(String channel) {
        long listening = listening(channel);
        heard.add(listening);
        return listening;
    }

    World world() {
        return world;
    }
}
