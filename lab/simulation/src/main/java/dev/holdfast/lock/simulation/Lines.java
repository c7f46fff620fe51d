package dev.holdfast.lock.simulation;

import java.util.concurrent.CompletableFuture;

/** The connections of one client to one server, as faults and checks see them. */
interface Lines {

    Network network();

    Line commands();

    Line messages();

    /** Completes when the client's first attempt to connect has ended. Until then, calls wait for it. */
    CompletableFuture<Void> attempted();

    /** Returns whether someone in the client listens to messages. A channel that is only kept for a while does not count. */
    boolean isListening();

    /** Returns the last time at which the server executed a command after its connection had ended. */
    long executedLateAt();

    /** Causes a fault that only a simulated wire can have. */
    default void strike(Plan.Fault fault) {}
}
