package dev.holdfast.lock.internal.connection;

import dev.holdfast.lock.internal.background.Threads;
import dev.holdfast.lock.internal.background.Timer;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulConnection;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;

/** Opens the connections of one client with the client's settings. */
record ConnectionOpener(Timer timer, ThreadFactory threads, ConnectionSettings settings) {

    <C extends StatefulConnection<String, String>> ReconnectingConnection<C> open(
            String name, Callable<C> opener, boolean healsItself, Consumer<C> onConnected) {
        ConnectAttempts<C> attempts = new ConnectAttempts<>(
                () -> withReason(opener), Threads.oneForEach("holdfast-connect-" + name, threads), timer, settings);
        return new ReconnectingConnection<>(name, attempts, healsItself, timer, settings.commandTimeout(), onConnected);
    }

    /**
     * Calls the opener, and calls it once more if the failure lacks its reason. Lettuce may report that the connection ended instead of the reason
     * that Redis gave, such as a wrong password.
     */
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
