package dev.holdfast.check;

import java.lang.reflect.InvocationTargetException;

/** The locks of one library, in the form that a worker uses. */
interface WorkerLocks extends AutoCloseable {

    /** Opens a client of a library, whose class has a constructor with an address. */
    static WorkerLocks open(String library, Address address) throws ReflectiveOperationException {
        try {
            return Class.forName(library)
                    .asSubclass(WorkerLocks.class)
                    .getDeclaredConstructor(Address.class)
                    .newInstance(address);
        } catch (InvocationTargetException e) {
            throw new IllegalStateException("No client of " + library + " for " + address, e.getCause());
        }
    }

    /** Returns whether the library has all kinds of locks, and tells its holders of a loss. Otherwise, only plain locks are requested. */
    default boolean hasAllKinds() {
        return false;
    }

    /** Returns whether a lock lasts longer than its lease while its holder works. Otherwise, only shorter work is given to holders. */
    default boolean renews() {
        return true;
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
