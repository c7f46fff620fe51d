package dev.holdfast.lock.internal.connection;

import dev.holdfast.lock.internal.background.Threads;
import dev.holdfast.lock.internal.background.Timer;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulConnection;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;

/** Makes the connections of one client, with its settings. */
record ConnectionOpener(Timer timer, ThreadFactory threads, ConnectionSettings settings) {

    <C extends StatefulConnection<String, String>> ReconnectingConnection<C> open(
            String name, Callable<C> opener, boolean healsItself, Consumer<C> onConnected) {
        return new ReconnectingConnection<>(
                name, () -> withReason(opener), healsItself, timer, connectors(name), settings, onConnected);
    }

    /** Opening a connection blocks, so each attempt has a thread of its own, which ends with it. */
    private ExecutorService connectors(String name) {
        return Threads.oneForEach("holdfast-connect-" + name, threads);
    }

    /** Lettuce may report the end of the connection in place of the reason that Redis gave, such as a wrong password. */
    private static <C> C withReason(Callable<C> opener) throws Exception {
        try {
            return opener.call();
        } catch (RedisException e) {
            if (!RedisFailure.hidesItsReason(e)) {
                throw e;
            }
            return opener.call();
        }
    }
}
