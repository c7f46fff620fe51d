package dev.holdfast.lock.connection;

import dev.holdfast.lock.lease.Timer;
import io.lettuce.core.api.StatefulConnection;
import java.util.concurrent.Callable;
import java.util.function.Consumer;

/** Opens links with the settings of one client. */
record LinkFactory(Timer timer, ConnectionSettings settings) {

    <C extends StatefulConnection<String, String>> Link<C> open(
            String name, Callable<C> opener, boolean healsItself, Consumer<C> onConnected) {
        return new Link<>(name, opener, healsItself, timer, settings, onConnected);
    }
}
