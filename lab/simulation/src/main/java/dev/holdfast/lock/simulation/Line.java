package dev.holdfast.lock.simulation;

/** A connection of a client to a server, as faults and checks see it. */
interface Line {

    boolean isOpen();

    /** Returns the time at which the connection was last opened. */
    long openSince();

    /** Returns whether data is lost in both directions, without either side noticing. */
    boolean isHalfOpen();

    void becomeHalfOpen();

    /** Goes on with a master whose place another server has taken. */
    default void stayWith(SimulatedServer former) {
        cut();
    }

    /** Returns whether it is open, and leads to this server. */
    default boolean isWith(SimulatedServer one) {
        return false;
    }

    /** Delays everything until the given time, because a lost packet must be sent again. */
    void stallUntil(long moment);

    boolean isStalled();

    /** Ends the connection and notifies the client. */
    void cut();

    /** Ends the connection without notifying the client. */
    void close();
}
