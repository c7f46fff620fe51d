package dev.holdfast.lock.simulation;

/** A connection to which a server sends messages. */
interface Subscriber {

    void send(String channel, String message);
}
