package dev.holdfast.lock.simulation;

import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.test.memory.CommandException;
import dev.holdfast.lock.testing.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Runs a script on a real Redis as it was run in memory: with the same keys, the same time, and as many listeners. */
final class RealRedis implements AutoCloseable {

    /** The last argument says the time, and what each question about listeners is answered. */
    private static final String SAME_WORLD = """
            local said = {}
            for number in string.gmatch(table.remove(ARGV), '[^,]+') do said[#said + 1] = number end
            local real = redis
            local at = 2
            local function simulated(name, ...)
              if name == 'time' then return {said[1], said[2]} end
              if name == 'publish' then
                at = at + 1
                return tonumber(said[at])
              end
              if name == 'pubsub' then
                local counted = {}
                for i = 2, select('#', ...) do
                  at = at + 1
                  counted[#counted + 1] = (select(i, ...))
                  counted[#counted + 1] = tonumber(said[at])
                end
                return counted
              end
            end
            local redis = {
              error_reply = real.error_reply,
              call = function(...) return simulated(...) or real.call(...) end,
              pcall = function(...) return simulated(...) or real.pcall(...) end
            }
            """;

    private static final String LOAD = """
            redis.call('flushall')
            local at = 1
            while ARGV[at] do
              local kind, key, left, count = ARGV[at], ARGV[at + 1], tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3])
              at = at + 4
              for i = at, at + count - 1, kind == 'list' and 1 or kind == 'string' and 1 or 2 do
                if kind == 'hash' then redis.call('hset', key, ARGV[i], ARGV[i + 1])
                elseif kind == 'zset' then redis.call('zadd', key, ARGV[i + 1], ARGV[i])
                elseif kind == 'list' then redis.call('rpush', key, ARGV[i])
                else redis.call('set', key, ARGV[i]) end
              end
              if left > 0 then redis.call('pexpire', key, left) end
              at = at + count
            end
            return 1
            """;

    private static final String DUMP = """
            local dump = {}
            for _, key in ipairs(redis.call('keys', '*')) do
              local kind = redis.call('type', key).ok
              local values
              if kind == 'hash' then values = redis.call('hgetall', key)
              elseif kind == 'zset' then values = redis.call('zrange', key, 0, -1, 'withscores')
              elseif kind == 'list' then values = redis.call('lrange', key, 0, -1)
              else values = {redis.call('get', key)} end
              dump[#dump + 1] = {kind, key, redis.call('pttl', key), values}
            end
            return dump
            """;

    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;
    private final RedisCommands<String, String> redis;
    private final Map<String, String> digests = new HashMap<>();

    RealRedis(RedisServer server) {
        client = RedisClient.create(server.uri());
        connection = client.connect();
        redis = connection.sync();
    }

    /** A key: its kind, its time to live in ms, and what it has. */
    record Key(String kind, long left, List<String> values) {

        /** Fields of a hash in any order. */
        String content() {
            if (!kind.equals("hash")) {
                return kind + values;
            }
            List<String> pairs = new ArrayList<>();
            for (int i = 0; i < values.size(); i += 2) {
                pairs.add(values.get(i) + "=" + values.get(i + 1));
            }
            Collections.sort(pairs);
            return kind + pairs;
        }
    }

    /** What a server in memory is asked for. */
    interface Look {
        Object at(String command, String... args);
    }

    /** What the server in memory keeps. */
    static Map<String, Key> state(SimulatedServer server) {
        return state(server.keys(), server::look);
    }

    /** What these keys of a server in memory hold. */
    static Map<String, Key> state(List<String> keys, Look look) {
        Map<String, Key> state = new TreeMap<>();
        for (String key : keys) {
            Object left = look.at("pttl", key);
            state.put(key, read(look, key, left instanceof Long number ? number : -1));
        }
        return state;
    }

    private static Key read(Look look, String key, long left) {
        String[][] ways = {
            {"hash", "hgetall", key},
            {"list", "lrange", key, "0", "-1"},
            {"zset", "zrange", key, "0", "-1", "withscores"}
        };
        for (String[] way : ways) {
            try {
                String[] args = java.util.Arrays.copyOfRange(way, 2, way.length);
                return key(way[0], left, (List<?>) look.at(way[1], args));
            } catch (CommandException otherKind) {
                // The next one.
            }
        }
        return new Key("string", left, List.of(String.valueOf(look.at("get", key))));
    }

    private static Key key(String kind, long left, List<?> values) {
        List<String> texts = values.stream().map(String::valueOf).toList();
        return new Key(kind, left, texts);
    }

    void load(Map<String, Key> state) {
        List<String> all = new ArrayList<>();
        state.forEach((name, key) -> {
            all.addAll(List.of(
                    key.kind(),
                    name,
                    Long.toString(key.left()),
                    Integer.toString(key.values().size())));
            all.addAll(key.values());
        });
        redis.evalsha(digest(LOAD), ScriptOutputType.INTEGER, new String[0], all.toArray(String[]::new));
    }

    Map<String, Key> dump() {
        List<List<Object>> dump = redis.evalsha(digest(DUMP), ScriptOutputType.MULTI);
        Map<String, Key> state = new TreeMap<>();
        dump.forEach(entry -> state.put(
                (String) entry.get(1), key((String) entry.get(0), (Long) entry.get(2), (List<?>) entry.get(3))));
        return state;
    }

    List<Object> run(Script script, List<String> keys, List<String> args, String world) {
        List<String> all = new ArrayList<>(args);
        all.add(world);
        Object answer = redis.evalsha(
                digest(SAME_WORLD + script.text()),
                ScriptOutputType.OBJECT,
                keys.toArray(String[]::new),
                all.toArray(String[]::new));
        return answer instanceof List<?> list ? new ArrayList<>(list) : new ArrayList<>(List.of(answer));
    }

    private String digest(String text) {
        return digests.computeIfAbsent(text, redis::scriptLoad);
    }

    @Override
    public void close() {
        connection.close();
        client.shutdown(java.time.Duration.ZERO, java.time.Duration.ofSeconds(1));
    }
}
