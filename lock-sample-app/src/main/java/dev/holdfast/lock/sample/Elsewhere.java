package dev.holdfast.lock.sample;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Mono;

/**
 * A system elsewhere that takes its time to answer: a payment provider, a packing machine, a courier's office. Here it only takes the time.
 */
@Component
public class Elsewhere {

    private final Duration time;

    Elsewhere(ShopSettings settings) {
        this.time = settings.answerTime();
    }

    /** Waits for the usual answer. */
    public void ask() {
        ask(time);
    }

    /**
     * Waits for an answer that takes that long.
     *
     * @param howLong how long
     */
    public void ask(Duration howLong) {
        try {
            TimeUnit.NANOSECONDS.sleep(howLong.toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while waiting for an answer", e);
        }
    }

    /**
     * Asks without waiting.
     *
     * @return completes with the usual answer
     */
    public CompletableFuture<Void> askAsync() {
        Executor later = CompletableFuture.delayedExecutor(time.toNanos(), TimeUnit.NANOSECONDS);
        return CompletableFuture.runAsync(() -> {}, later);
    }

    /**
     * Asks when subscribed to.
     *
     * @return completes with the usual answer
     */
    public Mono<Void> askReactive() {
        return Mono.delay(time).then();
    }
}
