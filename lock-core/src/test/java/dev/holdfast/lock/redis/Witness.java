package dev.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LockEvent;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Hears what a client tells and remembers it. */
final class Witness implements LockListener {

    private static final Duration LIMIT = Duration.ofSeconds(15);

    final List<LeaseLoss> losses = new CopyOnWriteArrayList<>();
    final List<String> abandoned = new CopyOnWriteArrayList<>();
    final AtomicInteger troubles = new AtomicInteger();
    private final Set<Long> tokens = ConcurrentHashMap.newKeySet();
    private final AtomicInteger repeatedTokens = new AtomicInteger();

    @Override
    public void onAcquired(LockEvent.Acquired event) {
        if (!tokens.add(event.fencingToken())) {
            repeatedTokens.incrementAndGet();
        }
    }

    @Override
    public void onLost(LeaseLoss loss) {
        losses.add(loss);
    }

    @Override
    public void onAbandoned(LockEvent.Abandoned event) {
        abandoned.add(event.lockName());
    }

    @Override
    public void onRenewalTrouble(LockEvent.RenewalTrouble event) {
        troubles.incrementAndGet();
    }

    void awaitLosses(int count) {
        Await.until(count + " losses were told", LIMIT, () -> losses.size() >= count);
    }

    void awaitTrouble() {
        Await.until("a renewal failed", LIMIT, () -> troubles.get() > 0);
    }

    void sawNoTokenTwice() {
        assertThat(repeatedTokens).as("tokens given twice").hasValue(0);
    }
}
