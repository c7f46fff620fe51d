package dev.holdfast.lock.test.memory;

/** Who listens to a server's channels. */
public interface Messages {

    /** Sends a message on its way. Returns how many listen. */
    long publish(String channel, String message);

    /** How many listen to a channel, as far as the server knows. */
    long listeners(String channel);
}
