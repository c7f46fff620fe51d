package dev.holdfast.lock.chaos;

import java.util.Locale;

/** The locks of one library, as a worker uses them. */
interface LockLibrary extends AutoCloseable {

    /** What acquiring brought. */
    sealed interface Answer permits Acquired, NotAcquired {}

    record Acquired(Hold hold) implements Answer {}

    record NotAcquired(Ending ending) implements Answer {}

    /** Leaves no interrupt status behind. */
    Answer acquire(Request request);

    /** Takes a lock away from whoever has it. */
    void forceRelease(String lock);

    @Override
    void close();

    /** Those that can go through the faults. */
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
