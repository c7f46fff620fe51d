package dev.holdfast.lock.sample;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Mono;

/**
 * An external system that takes some time to answer, such as a payment provider, a packing machine or a courier's office. This substitute only waits
 * for that time.
 */
@Component
public class Elsewhere {

    private final Duration time;

    Elsewhere(ShopSettings settings) {
        this.time = settings.answerTime();
    }

    /** Waits for an answer that takes the usual time. */
    public void ask() {
        ask(time);
    }

    /**
     * Waits for an answer.
     *
     * @param howLong the time until the answer
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
     * @return completes after the usual time
     */
    public CompletableFuture<Void> askAsync() {
        Executor later = CompletableFuture.delayedExecutor(time.toNanos(), TimeUnit.NANOSECONDS);
        return CompletableFuture.runAsync(() -> {}, later);
    }

    /**
     * Asks when subscribed to.
     *
     * @return completes after the usual time
     */
    public Mono<Void> askReactive() {
        return Mono.delay(time).then();
    }
}
