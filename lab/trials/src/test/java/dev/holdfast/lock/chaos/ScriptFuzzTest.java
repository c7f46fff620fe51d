package dev.holdfast.lock.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.internal.protocol.LockProtocol;
import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.testing.RedisServer;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Every script, with arguments that fit, that nearly fit and that do not fit at all, against a server whose keys the scripts before have left. Every
 * reply is a documented one, and no key is ever without an end, also where the server's clock goes back. The seed is in the failure's message.
 */
class ScriptFuzzTest {

    /** The keys without an end: one of each for a slot, and what users write without one. */
    private static final List<String> ENDLESS = List.of("holdfast:token", "holdfast:open", "holdfast:reign", "guarded");

    private static final int CALLS = Integer.getInteger("holdfast.fuzz.calls", 2_500);

    private static final Path SCRIPTS = Path.of("../../lock-core/src/main/lua");

    private static final Pattern ARGUMENT = Pattern.compile("(?m)^-- ARGV\\[(\\d+)]\\s+(.*)$");
    private static final Pattern DOCUMENTED = Pattern.compile(
            // Redis adds the place to an error that ends a script.
            "ERR holdfast: .* out of bounds( script: .*)?|(WRONGKIND|NOTHELD) holdfast: .*|WRONGTYPE (Operation against a key|holdfast:) .*"
                    // What Lua takes for a number and Redis does not, such as 0x1F.
                    + "|ERR value is not an integer or out of range.*|ERR invalid expire.*",
            Pattern.DOTALL);
    private static final Pattern KEY = Pattern.compile("(?m)^-- KEYS.*in a cluster: the last number drawn");
    private static final List<String> ODD = List.of(
            "",
            "-1",
            "0",
            "9",
            "10",
            "1.5",
            "1e3",
            "0x1F",
            "nan",
            "inf",
            "-inf",
            " 12",
            "12 ",
            "abc",
            "9007199254740991",
            "9007199254740992",
            "9007199254740993",
            "9223372036854775807",
            "99999999999999999999999",
            "86400000",
            "86400001",
            "ä\u0000\r\n*1",
            "%s%n",
            ":",
            "a:b:c:d");
    private static final List<String> OWNERS =
            List.of("c1:1:1:3000", "c1:1:2:0", "c2:7:1:10", "c2:7:2:86400000", "r1:1", "c3:1:1:x", "c1:1:1:3000:write");
    private static final String SEMAPHORE = "semaphore";
    private static final List<String> GUARDED = List.of("guarded-set", "record-write");
    private static final List<String> LOCKS = List.of("lock", "other", "rw");

    private static RedisServer server;
    private final Random random;
    private final long seed = Long.getLong("holdfast.fuzz.seed", Nightly.Night.seed(1));

    ScriptFuzzTest() {
        random = new Random(seed);
    }

    @BeforeAll
    static void start() {
        server = RedisServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    /** The scripts as a client sends them, by name. */
    private static Map<String, String> scripts() throws IOException {
        try (Stream<Path> files = Files.list(SCRIPTS)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".lua"))
                    .map(name -> name.replace(".lua", ""))
                    .collect(Collectors.toMap(
                            name -> name,
                            name -> Script.load(LockProtocol.class, name).text(),
                            (a, b) -> a,
                            TreeMap::new));
        }
    }

    @Test
    void everyReplyIsDocumentedAndEveryKeyHasAnEnd() throws IOException {
        Map<String, String> scripts = scripts();
        List<String> names = List.copyOf(scripts.keySet());
        RedisCommands<String, String> redis = server.cli();
        Map<String, Integer> granted = new LinkedHashMap<>();
        // Longer where some script has refused all of its calls so far.
        for (int i = 0; i < CALLS || (granted.size() < names.size() && i < 10 * CALLS); i++) {
            if (random.nextInt(40) == 0) {
                disturb(redis);
            }
            String name = names.get(random.nextInt(names.size()));
            String lock = name.startsWith(SEMAPHORE) ? "permits" : LOCKS.get(random.nextInt(LOCKS.size()));
            String source = Files.readString(SCRIPTS.resolve(name + ".lua"));
            String[] keys = keys(name, source, lock);
            String[] arguments = arguments(name, source, keys.length);
            if (GUARDED.contains(name) && random.nextBoolean()) {
                beTheHolder(redis, lock, arguments);
            }
            String clock = random.nextInt(4) == 0 ? ClockGoesBackTest.CLOCK_GOES_BACK : "";
            String call = "seed " + seed + ", call " + i + ": " + name + " " + List.of(keys) + " " + List.of(arguments)
                    + (clock.isEmpty() ? "" : ", the clock goes back");
            try {
                Object reply = redis.eval(clock + scripts.get(name), ScriptOutputType.OBJECT, keys, arguments);
                assertThat(isDocumented(reply))
                        .as("%s answered %s", call, reply)
                        .isTrue();
                granted.merge(name, 1, Integer::sum);
            } catch (RedisCommandExecutionException e) {
                assertThat(e.getMessage()).as(call).matches(DOCUMENTED);
            } catch (RedisCommandTimeoutException e) {
                throw new AssertionError(call + " was not answered in time", e);
            }
            for (String key : redis.keys("*")) {
                if (ENDLESS.stream().noneMatch(key::startsWith)) {
                    assertThat(redis.pttl(key))
                            .as("time to live of %s after %s", key, call)
                            .isNotEqualTo(-1);
                }
            }
        }
        assertThat(granted.keySet()).as("scripts that answered").containsExactlyInAnyOrderElementsOf(names);
    }

    /** A number, or a list that begins with one: yes or no, a token, how long a lock has left; for renewals, one for each key. */
    private static boolean isDocumented(Object reply) {
        if (reply instanceof Long number) {
            return number >= -2;
        }
        return reply instanceof List<?> list
                && !list.isEmpty()
                && list.get(0) instanceof Long first
                && first >= -2
                && list.stream()
                        .allMatch(each -> each instanceof Long || each instanceof String || each instanceof List);
    }

    /** Nobody guesses the token of a grant. */
    private static void beTheHolder(RedisCommands<String, String> redis, String lock, String[] arguments) {
        if (redis.type(lock).equals("hash")) {
            Map<String, String> fields = redis.hgetall(lock);
            fields.keySet().stream().filter(OWNERS::contains).findFirst().ifPresent(owner -> arguments[0] = owner);
            arguments[1] = fields.getOrDefault("holdfast:token", "0");
            arguments[2] = "1";
        }
    }

    /** Somebody else writes or deletes, or time passes. All that is written here has an end. */
    private void disturb(RedisCommands<String, String> redis) {
        String lock = LOCKS.get(random.nextInt(LOCKS.size()));
        switch (random.nextInt(5)) {
            case 0 -> redis.set(lock, "something else", SetArgs.Builder.px(50));
            case 1 -> redis.set("redisson_lock_queue:{" + lock + "}", "no list", SetArgs.Builder.px(50));
            case 2 -> redis.del(lock, "holdfast:token");
            case 3 -> redis.flushall();
            default -> {
                // As Redisson does it.
                redis.del(lock);
                redis.hset(lock, OWNERS.get(4), "1");
                redis.pexpire(lock, 200);
            }
        }
    }

    /** As the header lists them. The key that only a cluster has comes or does not. */
    private String[] keys(String name, String text, String lock) {
        List<String> keys = new ArrayList<>();
        if (name.equals("raise")) {
            keys.add("holdfast:token");
        } else if (name.equals("begin-grace")) {
            keys.add("holdfast:token:{" + lock + "}");
        } else if (name.equals("renew") || name.equals("assert") || name.startsWith("multi")) {
            keys.addAll(LOCKS.subList(0, 2));
        } else if (name.endsWith("-renew") || isOfHolds(name)) {
            keys.addAll(List.of(lock, lock));
        } else {
            keys.add(lock);
        }
        if (name.equals("guarded-set")) {
            keys.add("guarded");
        }
        if (KEY.matcher(text).find() && random.nextInt(8) == 0) {
            keys.add("holdfast:token:{" + lock + "}");
        }
        return keys.toArray(String[]::new);
    }

    private static Map<Integer, String> purposes(String text) {
        Map<Integer, String> purposes = new TreeMap<>();
        ARGUMENT.matcher(text).results().forEach(each -> purposes.put(Integer.parseInt(each.group(1)), each.group(2)));
        return purposes;
    }

    private String[] arguments(String name, String text, int keys) {
        Map<Integer, String> purposes = purposes(text);
        int count = switch (name) {
            case "renew", "rw-renew", SEMAPHORE + "-renew" -> 3 * keys;
            case "assert", "rw-assert", SEMAPHORE + "-assert" -> 1 + 5 * keys;
            // Most clients have no grace.
            default -> purposes.size() - (hasGrace(purposes) && random.nextInt(4) > 0 ? 1 : 0);
        };
        // Half of all calls have at most one argument that does not fit.
        int wrong = random.nextBoolean() ? random.nextInt(count + 1) : -1;
        boolean wild = random.nextInt(10) == 0;
        List<String> arguments = new ArrayList<>();
        for (int i = 1; i <= count; i++) {
            boolean odd = i == wrong || wild && random.nextBoolean();
            arguments.add(odd ? ODD.get(random.nextInt(ODD.size())) : fitting(name, i, purposes.getOrDefault(i, "")));
        }
        return arguments.toArray(String[]::new);
    }

    /** Returns whether a script asserts holds, several at once. */
    private static boolean isOfHolds(String name) {
        return name.endsWith("assert") && !name.equals("record-assert");
    }

    private static boolean hasGrace(Map<Integer, String> purposes) {
        return purposes.getOrDefault(purposes.size(), "").startsWith("grace");
    }

    private String fitting(String name, int number, String purpose) {
        String owner = OWNERS.get(random.nextInt(OWNERS.size()));
        if (name.equals("renew") || name.equals("rw-renew") || name.equals(SEMAPHORE + "-renew")) {
            return number % 3 == 1 ? owner : number % 3 == 2 ? milliseconds() : token();
        }
        if (purpose.startsWith("grace")) {
            String serves = isOfHolds(name) ? ":" + random.nextInt(200) : "";
            return 15 + random.nextInt(400) + ":" + System.currentTimeMillis() + serves;
        }
        if (isOfHolds(name)) {
            return switch (number % 5) {
                case 2 -> owner;
                case 3, 0 -> milliseconds();
                case 4 -> token();
                default -> kind(name);
            };
        }
        if (purpose.startsWith("for how many ms")) {
            return random.nextInt(3) == 0 ? "0" : milliseconds();
        }
        if (purpose.contains("owner") || purpose.contains("field")) {
            return owner;
        }
        if (purpose.contains("time to live")) {
            return milliseconds();
        }
        if (purpose.contains("number") || purpose.contains("many")) {
            return String.valueOf(random.nextInt(1_000_000));
        }
        if (purpose.contains("kind")) {
            return kind(name);
        }
        return random.nextBoolean() ? "1" : "0";
    }

    private String kind(String name) {
        if (name.startsWith("rw")) {
            return random.nextBoolean() ? "read" : "write";
        }
        String fair = random.nextBoolean() ? "" : "fair";
        return !name.startsWith(SEMAPHORE) ? fair : fair.isEmpty() ? SEMAPHORE : fair + "-" + SEMAPHORE;
    }

    private String milliseconds() {
        return String.valueOf(10 + random.nextInt(400));
    }

    private String token() {
        return String.valueOf(random.nextInt(5) * 1_024L);
    }
}
