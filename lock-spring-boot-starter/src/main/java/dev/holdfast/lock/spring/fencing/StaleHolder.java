package dev.holdfast.lock.spring.fencing;

/** The refusal of a holder whose lock has passed on. It is the same for an entity's version and for the fence table. */
final class StaleHolder {

    private StaleHolder() {}

    /** Returns why a write is refused. */
    static String refusal(String lockName, long token, long stored) {
        return "A later holder of the lock '" + lockName + "' has already written: its fencing token is " + stored
                + ", and that of this holder is " + token;
    }
}
