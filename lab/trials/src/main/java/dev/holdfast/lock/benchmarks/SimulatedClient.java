package dev.holdfast.lock.benchmarks;

import java.util.Random;

/** An instance of an application. It pauses, waits for one of the locks, holds it for some time, releases it, and begins again. */
final class SimulatedClient {

    private final SimulatedFleet fleet;
    private final SimulatedRedis redis;
    private final Random random;
    private SimulatedLock lock;
    private double wantedAt;
    private boolean asking;
    private boolean askAgain;
    private boolean waiting;
    private long waits;
    private long lastGrant;

    SimulatedClient(SimulatedFleet fleet, SimulatedRedis redis, Random random) {
        this.fleet = fleet;
        this.redis = redis;
        this.random = random;
        this.lock = fleet.anyLock(random);
    }

    void pause() {
        redis.after(exponential(fleet.pauseMicros()) + exponential(fleet.costs().client()), this::want);
    }

    private void want() {
        lock = fleet.anyLock(random);
        wantedAt = redis.now();
        waits++;
        waiting = true;
        ask();
    }

    /** Sends a request, unless one is pending. A message that arrives while a request is pending causes one more request after it. */
    void ask() {
        if (!waiting) {
            return;
        }
        if (asking) {
            askAgain = true;
            return;
        }
        asking = true;
        SimulatedLock wanted = lock;
        long[] grant = new long[1];
        redis.send(
                messages -> {
                    grant[0] = wanted.ask(this, fleet.nextGrant());
                    return fleet.costs().ask() + (grant[0] == 0 ? fleet.costs().busy() : 0);
                },
                () -> answered(grant[0]));
    }

    private void answered(long grant) {
        asking = false;
        if (grant > lastGrant) {
            granted(grant);
        } else if (askAgain) {
            askAgain = false;
            ask();
        } else {
            long wait = waits;
            redis.after(lock.poll(this) * (0.8 + 0.4 * random.nextDouble()), () -> poll(wait));
        }
    }

    private void poll(long wait) {
        if (wait == waits) {
            ask();
        }
    }

    /** Called when a message or an answer brings a grant. If both do, only the first one counts. */
    void granted(long grant) {
        if (grant <= lastGrant) {
            return;
        }
        lastGrant = grant;
        waiting = false;
        askAgain = false;
        fleet.acquired(redis.now() - wantedAt);
        redis.after(fleet.holdMicros(), this::release);
    }

    private void release() {
        SimulatedLock held = lock;
        redis.send(
                messages -> {
                    held.release(messages, fleet.nextGrant());
                    return fleet.costs().release()
                            + (messages.isEmpty() ? 0 : fleet.costs().wakes());
                },
                () -> {});
        // The pause may begin at once, because the connection sends the next request after the release.
        pause();
    }

    private double exponential(double mean) {
        return -mean * Math.log(1 - random.nextDouble());
    }
}
