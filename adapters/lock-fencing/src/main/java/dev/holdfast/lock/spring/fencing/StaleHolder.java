package dev.holdfast.lock.spring.fencing;

/** The refusal of a holder whose lock has passed on. It is the same for an entity's version, the fence table and guarded writes to Redis. */
final class StaleHolder {

    private StaleHolder() {}

    /** Returns why a write is refused where a later holder has written. */
    static String refusal(String lockName, long token, long stored) {
        return "A later holder of the lock '" + lockName + "' has already written: its fencing token is " + stored
                + ", and that of this holder is " + token;
    }

    /** Returns why a write is refused where the lock itself is. */
    static String refusal(String lockName, long token) {
        return "A later holder of the lock '" + lockName + "' may have written: this holder, whose fencing token is "
                + token + ", does not have the lock any more";
    }
}
