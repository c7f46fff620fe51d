package dev.holdfast.lock.internal.connection;

import dev.holdfast.lock.internal.background.Timer;
import io.lettuce.core.api.StatefulConnection;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Opens the connections of one client with the client's settings.
 *
 * @param threads creates an executor that runs each attempt to connect on its own thread of the given name
 */
record ConnectionOpener(Timer timer, Function<String, ExecutorService> threads, ConnectionSettings settings) {

    <C extends StatefulConnection<String, String>> ReconnectingConnection<C> open(
            String name, Callable<C> opener, boolean healsItself, Consumer<C> onConnected) {
        ExecutorService attempts = threads.apply("holdfast-connect-" + name);
        return new ReconnectingConnection<>(name, opener, attempts, healsItself, timer, settings, onConnected);
    }
}
