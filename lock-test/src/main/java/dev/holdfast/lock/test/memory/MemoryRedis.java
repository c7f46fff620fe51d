package dev.holdfast.lock.test.memory;

import dev.holdfast.lock.internal.background.Ticker;
import dev.holdfast.lock.internal.connection.RedisFailure;
import dev.holdfast.lock.internal.connection.RedisFailure.Kind;
import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.test.lua.LuaException;
import dev.holdfast.lock.test.lua.LuaFunction;
import dev.holdfast.lock.test.lua.LuaScript;
import dev.holdfast.lock.test.lua.LuaTable;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A Redis in memory. It runs the same scripts that clients send to a real Redis, one at a time, on its own clock. A lock's behavior is therefore
 * described only once, in the scripts.
 */
public final class MemoryRedis {

    private static final Map<String, LuaScript> SCRIPTS = new ConcurrentHashMap<>();

    /** The scripts that this server has run. They are found without a comparison of their texts, which are long. */
    private final IdentityHashMap<Script, LuaScript> known = new IdentityHashMap<>();

    private final Ticker ticker;
    private final long tickerAtStart;
    private final long microsAtStart;
    /**
     * The time at which the current script or command began. It does not change while the script runs, so that no key expires between two of its
     * writes.
     */
    private long micros;

    private long reign = 1;

    private final @Nullable Channels channels;
    private final Guard guard;
    private final Keyspace keys = new Keyspace(() -> micros / 1000);
    private final Commands commands;
    private final LuaTable redis = new LuaTable();

    /** Called before each command of a script. It may throw a {@link CommandException} instead of letting the command run. */
    @FunctionalInterface
    public interface Guard {
        void check(String command, List<String> args);
    }

    /** Receives each key with its value and its time to live in milliseconds, which is -1 if it does not expire. It must not change the value. */
    @FunctionalInterface
    public interface Viewer {
        void view(String key, Object value, long millisLeft);
    }

    /**
     * Creates a server without keys.
     *
     * @param ticker the clock of the server and of its clients
     * @param start the server's current time
     * @param delivery delivers messages to the clients
     */
    public MemoryRedis(Ticker ticker, Instant start, Executor delivery) {
        this(ticker, start, new Channels(delivery), (command, args) -> {});
    }

    /**
     * Creates a server without keys, with its own delivery of messages.
     *
     * @param ticker the server's clock; it may jump
     * @param start the server's current time
     * @param messages delivers messages to the clients
     * @param guard may refuse commands of scripts
     */
    public MemoryRedis(Ticker ticker, Instant start, Messages messages, Guard guard) {
        this.ticker = ticker;
        this.tickerAtStart = ticker.now();
        this.microsAtStart = TimeUnit.SECONDS.toMicros(start.getEpochSecond()) + start.getNano() / 1000;
        this.channels = messages instanceof Channels own ? own : null;
        this.guard = guard;
        this.commands = new Commands(keys, () -> micros, messages);
        function("call", arguments -> value(called(name(arguments), args(arguments))));
        function("pcall", arguments -> {
            try {
                return value(called(name(arguments), args(arguments)));
            } catch (CommandException e) {
                return error(e.getMessage());
            }
        });
        function("error_reply", arguments -> error((String) arguments[0]));
    }

    private @Nullable Object called(String command, List<String> args) {
        guard.check(command, args);
        if (command.equals("info")) {
            return "# Replication\r\nrole:master\r\nmaster_replid:" + reign() + "\r\n";
        }
        return commands.run(command, args);
    }

    /** Returns the name of the present reign, as INFO tells it. */
    public String reign() {
        return String.format("%040x", reign);
    }

    /** Begins another reign, as a promotion and a restart do. */
    public synchronized void beginReign() {
        reign++;
    }

    private interface RedisFunction {
        Object call(@Nullable Object[] arguments);
    }

    private void function(String name, RedisFunction function) {
        LuaFunction called = arguments -> new Object[] {function.call(arguments)};
        redis.put(name, called);
    }

    private void begin() {
        micros = microsAtStart + TimeUnit.NANOSECONDS.toMicros(ticker.now() - tickerAtStart);
    }

    Channels channels() {
        return Objects.requireNonNull(channels);
    }

    /** Runs a script. No other command runs meanwhile. */
    public synchronized List<Object> run(Script script, List<String> keyNames, List<String> args) {
        begin();
        LuaScript read =
                known.computeIfAbsent(script, unknown -> SCRIPTS.computeIfAbsent(unknown.text(), LuaScript::read));
        try {
            Object answer = reply(read.run(redis, keyNames, args));
            if (answer instanceof List<?> list) {
                return new ArrayList<>(list);
            }
            if (answer instanceof Long number) {
                // Lettuce also returns a single number as a list if it expects a list.
                return new ArrayList<>(List.of(number));
            }
            throw new LuaException("the script's answer is neither a list nor a number: " + answer);
        } catch (CommandException e) {
            throw RedisFailure.simulated(Kind.REFUSED, String.valueOf(e.getMessage()));
        } catch (LuaException e) {
            throw RedisFailure.simulated(Kind.REFUSED, "ERR script " + script.name() + ": " + e.getMessage());
        }
    }

    /** Returns the answer of a command as a client has it: a single value is a list with one element. */
    @SuppressWarnings("unchecked") // Redis answers with lists of any values.
    public static List<Object> asList(@Nullable Object answer) {
        return answer instanceof List<?> list ? (List<Object>) list : Collections.singletonList(answer);
    }

    /**
     * Runs a command, so that a test can see what the server stores. Only commands that the scripts use are available.
     *
     * @param command its name in lower case
     * @param args the arguments
     */
    public synchronized @Nullable Object command(String command, String... args) {
        begin();
        return commands.run(command, Arrays.asList(args));
    }

    /** Returns all keys that exist now. */
    public synchronized List<String> keys() {
        begin();
        return keys.keys();
    }

    /** Returns the channels that have listeners. */
    public List<String> channelNames() {
        return channels().names();
    }

    /** Shows everything that the server stores. */
    public synchronized void view(Viewer viewer) {
        begin();
        keys.view(viewer);
    }

    /** Returns a copy of what the server stores. No later command changes it. */
    public synchronized Map<String, Object> copy() {
        return keys.copy();
    }

    /** Replaces what the server stores by a copy. */
    public synchronized void restore(Map<String, Object> copy) {
        keys.restore(copy);
    }

    /** Makes every waiter ask again. */
    public void wakeWaiters() {
        channels().wakeAll();
    }

    /** Removes all locks, queues and records except those of the given locks. The last token and the clients' names stay. */
    public synchronized void clear(Supplier<Collection<String>> except) {
        Collection<String> kept = except.get();
        keys.removeIf(key -> (!key.startsWith("holdfast:") || key.startsWith("holdfast:record:"))
                && kept.stream().noneMatch(key::contains));
    }

    private static String name(@Nullable Object[] arguments) {
        return LuaTable.text(arguments[0]);
    }

    private static List<String> args(@Nullable Object[] arguments) {
        List<String> args = new ArrayList<>(arguments.length);
        for (int i = 1; i < arguments.length; i++) {
            args.add(LuaTable.text(arguments[i]));
        }
        return args;
    }

    private static LuaTable error(@Nullable String message) {
        LuaTable error = new LuaTable();
        error.put("err", message);
        return error;
    }

    /** Converts an answer of Redis to the value that a script receives. */
    private static Object value(@Nullable Object answer) {
        if (answer == null) {
            return false;
        }
        if (answer instanceof Long number) {
            return (double) number;
        }
        if (answer instanceof List<?> list) {
            List<Object> values = new ArrayList<>(list.size());
            list.forEach(element -> values.add(value(element)));
            return LuaTable.of(values);
        }
        return answer;
    }

    /** Converts the result of a script to the answer that a client receives. */
    private static @Nullable Object reply(@Nullable Object returned) {
        if (returned instanceof Double number) {
            return (long) (double) number;
        }
        if (returned instanceof Boolean yes) {
            return yes ? 1L : null;
        }
        if (returned instanceof LuaTable table) {
            if (table.get("err") instanceof String message) {
                throw new CommandException(message);
            }
            List<@Nullable Object> list = new ArrayList<>(table.length());
            for (int i = 1; i <= table.length(); i++) {
                list.add(reply(table.get((double) i)));
            }
            return list;
        }
        return returned;
    }
}
