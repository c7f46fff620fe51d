package dev.holdfast.check;

import io.lettuce.core.RedisURI;
import io.lettuce.core.StaticCredentialsProvider;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How the workers use a server that has other users. They read it from their environment, because a command line shows a password to everybody.
 *
 * @param prefix the text before the name of each lock
 * @param paceNanos the time from one request of a thread to the next one, at least; 0 for no limit
 * @param classPath the jars of the library, if it is another one
 */
record WorkerSettings(
        String prefix,
        long paceNanos,
        @Nullable String user,
        @Nullable String password,
        int database,
        @Nullable String classPath) {

    private static final String NAME = "HOLDFAST_CHECK_";

    /** The settings of this process: none, if nothing is set. */
    static final WorkerSettings PRESENT = of(System.getenv());

    static WorkerSettings of(Map<String, String> environment) {
        return new WorkerSettings(
                environment.getOrDefault(NAME + "PREFIX", ""),
                TimeUnit.MICROSECONDS.toNanos(Long.parseLong(environment.getOrDefault(NAME + "PACE", "0"))),
                environment.get(NAME + "USER"),
                environment.get(NAME + "PASSWORD"),
                Integer.parseInt(environment.getOrDefault(NAME + "DATABASE", "0")),
                environment.get(NAME + "CLASS_PATH"));
    }

    Map<String, String> environment() {
        Map<String, String> all = new HashMap<>(Map.of(
                NAME + "PREFIX", prefix,
                NAME + "PACE", Long.toString(TimeUnit.NANOSECONDS.toMicros(paceNanos)),
                NAME + "DATABASE", Integer.toString(database)));
        if (user != null) {
            all.put(NAME + "USER", user);
        }
        if (password != null) {
            all.put(NAME + "PASSWORD", password);
        }
        if (classPath != null) {
            all.put(NAME + "CLASS_PATH", classPath);
        }
        return all;
    }

    /** Lets the address log in, and selects the database. */
    void logIn(RedisURI uri) {
        uri.setDatabase(database);
        if (password != null) {
            uri.setCredentialsProvider(new StaticCredentialsProvider(user, password.toCharArray()));
        }
    }
}
