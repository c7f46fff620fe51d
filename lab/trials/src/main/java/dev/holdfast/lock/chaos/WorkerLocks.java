package dev.holdfast.lock.chaos;

import dev.holdfast.lock.trials.LockLibrary;

/** The locks of one library, in the form that a worker uses. */
interface WorkerLocks extends AutoCloseable {

    /** Opens a client of a library that {@linkplain LockLibrary#runsUnderFaults() runs under faults}. */
    static WorkerLocks open(LockLibrary library, Address address) {
        return switch (library) {
            case HOLDFAST -> new HoldfastLibrary(address);
            case NAIVE -> new NaiveLibrary(address);
            case REDISSON -> new RedissonLibrary(address);
            default -> throw new IllegalArgumentException("No fault tests of " + library);
        };
    }

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
}
