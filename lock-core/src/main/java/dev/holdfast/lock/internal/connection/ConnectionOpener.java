package dev.holdfast.lock.internal.connection;

import dev.holdfast.lock.internal.background.Timer;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Opens the connections of one client with the client's settings.
 *
 * @param threads runs each attempt to connect on its own thread
 */
record ConnectionOpener(RedisTopology nodes, Timer timer, ExecutorService threads, ConnectionSettings settings) {

    <C extends StatefulRedisConnection<String, String>> ReconnectingConnection<C> open(
            String name, Callable<C> opener, AtomicLong interruptions, Consumer<C> onConnected) {
        return new ReconnectingConnection<>(name, opener, threads, interruptions, timer, settings, onConnected);
    }
}
