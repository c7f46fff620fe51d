package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.connection.RedisFailure;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * Waits until a started client has connected, so that the first call does not pay for it: the first connection of a JVM takes seconds on a throttled machine,
 * which is longer than a command may take. Does not wait for a Redis that is down or refuses, and never fails the start.
 *
 * @param limit how long to wait for a connection that is still being made
 */
record FirstConnection(Duration limit) implements Consumer<LockClient> {

    private static final String ANY_NAME = "holdfast:start";
    private static final Duration PAUSE = Duration.ofMillis(50);

    @Override
    public void accept(LockClient client) {
        long end = System.nanoTime() + limit.toNanos();
        while (isConnecting(client) && System.nanoTime() - end < 0) {
            try {
                Thread.sleep(PAUSE.toMillis());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private static boolean isConnecting(LockClient client) {
        try {
            client.inspect(ANY_NAME);
            return false;
        } catch (LockUnavailableException e) {
            return e.getCause() instanceof RedisFailure failure && failure.getCause() instanceof TimeoutException;
        } catch (IllegalArgumentException e) {
            // The prefix does not go together with this name.
            return false;
        }
    }
}
