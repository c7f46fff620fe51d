package dev.holdfast.lock.internal.connection;

import dev.holdfast.lock.internal.lease.Timer;
import io.lettuce.core.api.StatefulConnection;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;

/** Makes the connections of one client, with its settings. */
record ConnectionOpener(Timer timer, ThreadFactory threads, ConnectionSettings settings) {

    <C extends StatefulConnection<String, String>> ReconnectingConnection<C> open(
            String name, Callable<C> opener, boolean healsItself, Consumer<C> onConnected) {
        return new ReconnectingConnection<>(name, opener, healsItself, timer, threads, settings, onConnected);
    }
}
