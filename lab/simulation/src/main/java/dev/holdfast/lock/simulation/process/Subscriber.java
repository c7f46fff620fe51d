package dev.holdfast.lock.simulation.process;

/** A connection to which a server sends messages. */
public interface Subscriber {

    /** Sends a message of a channel. */
    void send(String channel, String message);
}
