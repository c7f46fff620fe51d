package dev.holdfast.lock.internal.connection;

import dev.holdfast.lock.internal.lease.Timer;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulConnection;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
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
        return new ThreadPoolExecutor(0, Integer.MAX_VALUE, 0, TimeUnit.SECONDS, new SynchronousQueue<>(), attempts -> {
            Thread connector = threads.newThread(attempts);
            connector.setName("holdfast-connect-" + name);
            connector.setDaemon(true);
            return connector;
        });
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
