package dev.holdfast.lock.redis.interop;

import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** An instance of an application, on one version of the library. It names no type of the library, because a test has two of them. */
public interface VersionedInstance extends AutoCloseable {

    /** A way to use a name. */
    enum Form {
        PLAIN,
        FAIR,
        READ,
        WRITE,
        /** One of two permits. */
        PERMIT,
        /** Two names of one slot by one script. */
        SEVERAL;

        /** Returns what this form keeps out, and what keeps it out. */
        Form excluded() {
            return this == READ ? WRITE : this;
        }

        /** Returns how many holders keep {@link #excluded()} out. */
        int holders() {
            return this == PERMIT ? 2 : 1;
        }

        /** Returns whether several may hold it at once. */
        boolean isShared() {
            return this == READ || this == PERMIT;
        }
    }

    /** A lease. */
    interface Hold extends AutoCloseable {

        long token();

        /** Asks Redis whether the lease is still held. */
        boolean verify();

        @Override
        void close();
    }

    /** Opens the client, of a cluster if there are several addresses. */
    void open(Duration watchdogTimeout, Duration pollInterval, List<RedisURI> addresses);

    /** Acquires the lock if it is free. */
    Optional<Hold> tryAcquire(Form form, String name);

    /** Waits for the lock, without blocking the caller. */
    CompletableFuture<Hold> acquire(Form form, String name);

    /** Returns how many renewals have been confirmed. */
    long renewals();

    /** Returns how many waiters were woken by a message. */
    long wakeUpsByMessage();

    /** Returns who holds the lock, as an operator sees it. */
    String owner(String name);

    /** Asks the holder to stop. The previous version cannot do this. */
    boolean requestStop(String name);

    @Override
    void close();
}
