package dev.holdfast.lock.internal.protocol;

import dev.holdfast.lock.internal.connection.Script;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * All scripts that clients send. Their sources are in {@code src/main/lua}. A script is read at its first use, because all together are 244 KB.
 */
public final class Scripts {

    private static final List<Supplier<Script>> ALL = new ArrayList<>();
    private static final Map<String, Script> READ = new ConcurrentHashMap<>();

    static final Supplier<Script> ACQUIRE = load("acquire");
    static final Supplier<Script> RELEASE = load("release");
    static final Supplier<Script> RENEW = load("renew");
    public static final Supplier<Script> ASSERT = load("assert");
    static final Supplier<Script> MULTI_ACQUIRE = load("multi-acquire");
    static final Supplier<Script> MULTI_RELEASE = load("multi-release");
    static final Supplier<Script> READ_ACQUIRE = load("read-acquire");
    static final Supplier<Script> WRITE_ACQUIRE = load("write-acquire");
    static final Supplier<Script> RW_RELEASE = load("rw-release");
    static final Supplier<Script> RW_RENEW = load("rw-renew");
    static final Supplier<Script> RW_ASSERT = load("rw-assert");
    static final Supplier<Script> SEMAPHORE_ACQUIRE = load("semaphore-acquire");
    static final Supplier<Script> SEMAPHORE_RELEASE = load("semaphore-release");
    static final Supplier<Script> SEMAPHORE_RENEW = load("semaphore-renew");
    static final Supplier<Script> SEMAPHORE_ASSERT = load("semaphore-assert");
    public static final Supplier<Script> RECORD_READ = load("record-read");
    public static final Supplier<Script> RECORD_WRITE = load("record-write");
    public static final Supplier<Script> RECORD_ASSERT = load("record-assert");
    public static final Supplier<Script> BEGIN_GRACE = load("begin-grace");
    public static final Supplier<Script> GUARDED_SET = load("guarded-set");
    static final Supplier<Script> RAISE = load("raise");
    public static final Supplier<Script> FORCE = load("force");
    public static final Supplier<Script> INSPECT = load("inspect");
    public static final Supplier<Script> REQUEST_STOP = load("request-stop");

    private static final String OF_USER = "guarded";
    private static final int MOST_GUARDED = 1_000;
    private static final Map<String, Script> GUARDED = new ConcurrentHashMap<>();

    private Scripts() {}

    private static Supplier<Script> load(String name) {
        Supplier<Script> script = () -> READ.computeIfAbsent(name, one -> Script.load(Scripts.class, one));
        ALL.add(script);
        return script;
    }

    /**
     * Returns a user's script that runs only while the owner has its locks. The text is the body of a function whose parameters are its keys and
     * arguments, on the lines that it has alone.
     */
    public static Script guarded(String text) {
        Script known = GUARDED.get(text);
        if (known == null) {
            if (GUARDED.size() >= MOST_GUARDED) {
                // Texts that are made for each call would fill the memory of this process, and that of Redis.
                GUARDED.clear();
            }
            // Redis 7 reads its flags from a first line that begins with #!.
            int body = text.startsWith("#!") ? text.indexOf('\n') + 1 : 0;
            known = Script.of(
                    OF_USER,
                    text.substring(0, body) + "local function guarded(KEYS, ARGV) " + text.substring(body) + guard());
            GUARDED.put(text, known);
        }
        return known;
    }

    /** Returns what follows the function of a guarded script, without comments. */
    private static String guard() {
        String script = GUARDED_SET.get().text();
        return script.substring(script.indexOf("\nend\n"))
                .lines()
                .filter(line -> !line.isEmpty() && !line.stripLeading().startsWith("--"))
                .collect(Collectors.joining("\n", "\n", "\n"));
    }

    /** Returns whether a script has the text of a user. */
    public static boolean isOfUser(Script script) {
        return script.name().equals(OF_USER);
    }

    /**
     * Returns the SHA-1 digest of each script, as sent by {@code EVALSHA}, by the script's name. The scripts are read when somebody looks into the
     * map.
     */
    public static Map<String, String> digests() {
        return new AbstractMap<>() {
            @Override
            public Set<Map.Entry<String, String>> entrySet() {
                return ALL.stream()
                        .map(Supplier::get)
                        .collect(Collectors.toMap(Script::name, Script::sha, (one, other) -> one, TreeMap::new))
                        .entrySet();
            }
        };
    }
}
