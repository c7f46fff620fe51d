package dev.holdfast.lock.internal.connection;

import dev.holdfast.lock.internal.lease.Timer;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulConnection;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;

/** Makes the connections of one client, with its settings. */
record ConnectionOpener(Timer timer, ThreadFactory threads, ConnectionSettings settings) {

    <C extends StatefulConnection<String, String>> ReconnectingConnection<C> open(
            String name, Callable<C> opener, boolean healsItself, Consumer<C> onConnected) {
        return new ReconnectingConnection<>(
                name, () -> withReason(opener), healsItself, timer, threads, settings, onConnected);
    }

    /** Lettuce may report the end of the connection in place of the reason that Redis gave, such as a wrong password. */
    private static <C> C withReason(Callable<C> opener) throws Exception {
        try {
            return opener.call();
        } catch (RedisException e) {
            if (!Failures.hidesItsReason(e)) {
                throw e;
            }
            return opener.call();
        }
    }
}
