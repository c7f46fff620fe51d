package dev.holdfast.lock.simulation;

/** The connections of one client to one server, as faults and checks see them. */
interface Lines {

    Network network();

    Line commands();

    Line messages();

    /** Returns whether someone in the client listens to messages. A channel that is only kept for a while does not count. */
    boolean isListening();

    /** Returns the last time at which the server executed a command after its connection had ended. */
    long executedLateAt();

    /** Causes a fault that only a simulated wire can have. */
    default void strike(Plan.Fault fault) {}
}
