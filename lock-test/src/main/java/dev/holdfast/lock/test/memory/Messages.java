package dev.holdfast.lock.test.memory;

/** Delivers a server's messages to the listeners of its channels. */
public interface Messages {

    /** Sends a message. Returns the number of listeners. */
    long publish(String channel, String message);

    /** Returns the number of listeners of a channel, as far as the server knows. */
    long listeners(String channel);
}
