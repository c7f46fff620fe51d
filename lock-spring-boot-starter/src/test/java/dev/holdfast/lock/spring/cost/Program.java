package dev.holdfast.lock.spring.cost;

import java.util.concurrent.Callable;
import java.util.concurrent.Future;

/** What a {@link Recorder} runs. The test and the program load Holdfast twice, so only types of the JDK pass between them. */
public interface Program extends AutoCloseable {

    /** Returns the number of Holdfast's frames between the caller and the command. */
    int lock(String name);

    /** Returns the number of Holdfast's frames between the caller and the command. */
    int unlock(String name);

    /** Acquires a lease that the client renews, and returns what releases it. */
    AutoCloseable hold(String name);

    /** Waits for a lock in the background, and completes with what releases it. */
    Future<AutoCloseable> want(String name);

    /** Calls an annotated method with a key, and the body within it. */
    void annotated(String key, Callable<?> body);

    /** Lets the next call of {@link #tick} be the first one of a tick. */
    void nextTick();

    /** Calls a scheduled method that runs once per tick. */
    void tick();

    /** Starts an election, waits until this instance leads, and returns what stops it. */
    AutoCloseable lead(String name);

    @Override
    void close();
}
