package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.SelfCheck;
import dev.holdfast.lock.spring.RedisNotReadyException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Refuses to start without a Redis that locks can work on. Waits for it for a bounded time, which leaves a server that comes up together
 * with the application a chance.
 *
 * @param limit how long Redis may take to answer
 */
public record StartCheck(Duration limit) implements Consumer<LockClient> {

    private static final Duration PAUSE = Duration.ofMillis(100);

    @Override
    public void accept(LockClient client) {
        SelfCheck found = firstAnswer(client);
        if (!found.isUsable()) {
            throw new RedisNotReadyException(
                    "Redis was reached, and locks cannot work on it: "
                            + found.findings().get(0).message(),
                    null);
        }
    }

    private SelfCheck firstAnswer(LockClient client) {
        long end = System.nanoTime() + limit.toNanos();
        while (true) {
            try {
                return client.selfCheck()
                        .toCompletableFuture()
                        .get(Math.max(1, end - System.nanoTime()), TimeUnit.NANOSECONDS);
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof LockUnavailableException) || end - System.nanoTime() <= 0) {
                    throw unreachable(e.getCause());
                }
                pause();
            } catch (TimeoutException e) {
                throw unreachable(e);
            } catch (InterruptedException e) {
                throw interrupted(e);
            }
        }
    }

    /** The client may answer "not connected" at once; asking it again at once would only heat the machine. */
    private static void pause() {
        try {
            Thread.sleep(PAUSE.toMillis());
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private static RedisNotReadyException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new RedisNotReadyException("The start was interrupted while it waited for Redis", e);
    }

    private RedisNotReadyException unreachable(@Nullable Throwable cause) {
        String what = cause == null || cause.getMessage() == null ? "" : ": " + cause.getMessage();
        return new RedisNotReadyException("Redis did not answer within " + LogText.time(limit) + what, cause);
    }
}
