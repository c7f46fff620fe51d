package dev.holdfast.lock.internal.protocol;

import dev.holdfast.lock.internal.connection.Script;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/** All scripts that clients send. Their sources are in {@code src/main/lua}. */
public final class Scripts {

    private static final Map<String, String> DIGESTS = new TreeMap<>();

    static final Script ACQUIRE = load("acquire");
    static final Script RELEASE = load("release");
    static final Script RENEW = load("renew");
    public static final Script ASSERT = load("assert");
    static final Script MULTI_ACQUIRE = load("multi-acquire");
    static final Script MULTI_RELEASE = load("multi-release");
    static final Script READ_ACQUIRE = load("read-acquire");
    static final Script WRITE_ACQUIRE = load("write-acquire");
    static final Script RW_RELEASE = load("rw-release");
    static final Script RW_RENEW = load("rw-renew");
    static final Script RW_ASSERT = load("rw-assert");
    static final Script SEMAPHORE_ACQUIRE = load("semaphore-acquire");
    static final Script SEMAPHORE_RELEASE = load("semaphore-release");
    static final Script SEMAPHORE_RENEW = load("semaphore-renew");
    static final Script SEMAPHORE_ASSERT = load("semaphore-assert");
    public static final Script RECORD_READ = load("record-read");
    public static final Script RECORD_WRITE = load("record-write");
    public static final Script RECORD_ASSERT = load("record-assert");
    public static final Script RAISE = load("raise");
    public static final Script FORCE = load("force");
    public static final Script INSPECT = load("inspect");

    private Scripts() {}

    private static Script load(String name) {
        Script script = Script.load(Scripts.class, name);
        DIGESTS.put(name, script.sha());
        return script;
    }

    /** Returns the SHA-1 digest of each script, as sent by {@code EVALSHA}, by the script's name. */
    public static Map<String, String> digests() {
        return Collections.unmodifiableMap(DIGESTS);
    }
}
