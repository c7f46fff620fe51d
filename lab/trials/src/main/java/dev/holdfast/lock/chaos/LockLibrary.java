package dev.holdfast.lock.chaos;

import java.util.Locale;

/** The locks of one library, in the form that a worker uses. */
interface LockLibrary extends AutoCloseable {

    /** The answer to a request for a lock. */
    sealed interface Answer permits Acquired, NotAcquired {}

    record Acquired(Hold hold) implements Answer {}

    record NotAcquired(Ending ending) implements Answer {}

    /** Acquires a lock. Does not leave the thread's interrupt status set. */
    Answer acquire(Request request);

    /** Takes a lock away from its holder. */
    void forceRelease(String lock);

    @Override
    void close();

    /** The libraries that can be tested. */
    enum Name {
        HOLDFAST,
        NAIVE,
        REDISSON;

        LockLibrary open(Address address) {
            return switch (this) {
                case HOLDFAST -> new HoldfastLibrary(address);
                case NAIVE -> new NaiveLibrary(address);
                case REDISSON -> new RedissonLibrary(address);
            };
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
