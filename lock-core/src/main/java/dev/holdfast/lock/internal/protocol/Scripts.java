package dev.holdfast.lock.internal.protocol;

import dev.holdfast.lock.internal.connection.Script;
import java.util.AbstractMap;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * All scripts that clients send. Their sources are in {@code src/main/lua}. Those that not every client sends are in classes of their own, so that the JVM
 * reads them at their first use: all together are 244 KB, and their digests take CPU time of an application's start.
 */
public final class Scripts {

    static final Script ACQUIRE = load("acquire");
    static final Script RELEASE = load("release");
    static final Script RENEW = load("renew");
    public static final Script ASSERT = load("assert");

    static final class SeveralNames {
        static final Script ACQUIRE = load("multi-acquire");
        static final Script RELEASE = load("multi-release");

        private SeveralNames() {}
    }

    static final class ReadWrite {
        static final Script READ_ACQUIRE = load("read-acquire");
        static final Script WRITE_ACQUIRE = load("write-acquire");
        static final Script RELEASE = load("rw-release");
        static final Script RENEW = load("rw-renew");
        static final Script ASSERT = load("rw-assert");

        private ReadWrite() {}
    }

    static final class Semaphores {
        static final Script ACQUIRE = load("semaphore-acquire");
        static final Script RELEASE = load("semaphore-release");
        static final Script RENEW = load("semaphore-renew");
        static final Script ASSERT = load("semaphore-assert");

        private Semaphores() {}
    }

    public static final class Records {
        public static final Script READ = load("record-read");
        public static final Script WRITE = load("record-write");
        public static final Script ASSERT = load("record-assert");

        private Records() {}
    }

    public static final class Slots {
        public static final Script BEGIN_GRACE = load("begin-grace");

        private Slots() {}
    }

    public static final class Guarding {
        public static final Script GUARDED_SET = load("guarded-set");

        /** What follows the function of a guarded script, without comments. */
        static final String REST = GUARDED_SET
                .text()
                .substring(GUARDED_SET.text().indexOf("\nend\n"))
                .lines()
                .filter(line -> !line.isEmpty() && !line.stripLeading().startsWith("--"))
                .collect(Collectors.joining("\n", "\n", "\n"));

        private Guarding() {}
    }

    public static final class Tools {
        public static final Script RAISE = load("raise");
        public static final Script FORCE = load("force");
        public static final Script INSPECT = load("inspect");
        public static final Script REQUEST_STOP = load("request-stop");

        private Tools() {}
    }

    private static final String OF_USER = "guarded";
    private static final int MOST_GUARDED = 1_000;
    private static final Map<String, Script> GUARDED = new ConcurrentHashMap<>();

    private Scripts() {}

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
                    text.substring(0, body) + "local function guarded(KEYS, ARGV) " + text.substring(body)
                            + Guarding.REST);
            GUARDED.put(text, known);
        }
        return known;
    }

    /** Returns whether a script has the text of a user. */
    public static boolean isOfUser(Script script) {
        return script.name().equals(OF_USER);
    }

    private static Script load(String name) {
        return Script.load(Scripts.class, name);
    }

    /** Returns the SHA-1 digest of each script, as sent by {@code EVALSHA}, by the script's name. The scripts are read when somebody looks into the map. */
    public static Map<String, String> digests() {
        return new Digests();
    }

    private static final class Digests extends AbstractMap<String, String> {

        /** A class of its own, because it reads all scripts. */
        private static final class Read {
            static final Map<String, String> ALL = Stream.of(
                            ACQUIRE,
                            RELEASE,
                            RENEW,
                            ASSERT,
                            SeveralNames.ACQUIRE,
                            SeveralNames.RELEASE,
                            ReadWrite.READ_ACQUIRE,
                            ReadWrite.WRITE_ACQUIRE,
                            ReadWrite.RELEASE,
                            ReadWrite.RENEW,
                            ReadWrite.ASSERT,
                            Semaphores.ACQUIRE,
                            Semaphores.RELEASE,
                            Semaphores.RENEW,
                            Semaphores.ASSERT,
                            Records.READ,
                            Records.WRITE,
                            Records.ASSERT,
                            Slots.BEGIN_GRACE,
                            Guarding.GUARDED_SET,
                            Tools.RAISE,
                            Tools.FORCE,
                            Tools.INSPECT,
                            Tools.REQUEST_STOP)
                    .collect(Collectors.toMap(Script::name, Script::sha, (one, other) -> one, TreeMap::new));
        }

        @Override
        public Set<Map.Entry<String, String>> entrySet() {
            return Collections.unmodifiableMap(Read.ALL).entrySet();
        }
    }
}
