package dev.holdfast.lock.chaos;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockUnavailableException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToIntFunction;

/** Takes one of a few locks again and again, in all the ways there are, and writes under it. */
final class Worker implements Runnable {

    private final LockClient client;
    private final List<Register> registers;
    private final String prefix;
    private final Random random = new Random();
    private final AtomicBoolean over;
    private final ToIntFunction<Random> holdMillis;

    Worker(
            LockClient client,
            List<Register> registers,
            String prefix,
            ToIntFunction<Random> holdMillis,
            AtomicBoolean over) {
        this.client = client;
        this.registers = registers;
        this.prefix = prefix;
        this.holdMillis = holdMillis;
        this.over = over;
    }

    @Override
    public void run() {
        while (!over.get()) {
            int which = random.nextInt(registers.size());
            Register register = registers.get(which);
            long highestBefore = register.highestBefore();
            try {
                acquire(prefix + which).ifPresent(lease -> work(lease, register, highestBefore));
            } catch (LockUnavailableException | LeaseLostException expected) {
                // What faults are for. Whoever was told so wrote nothing since.
                continue;
            }
        }
    }

    private Optional<Lease> acquire(String name) {
        Duration wait = Duration.ofMillis(random.nextInt(400));
        AcquireOptions options = AcquireOptions.defaults().waitAtMost(wait);
        return switch (random.nextInt(10)) {
            case 0 -> client.getLock(name).tryAcquire(options.lease(Duration.ofMillis(50 + random.nextInt(500))));
            case 1 -> cancelled(name, options);
            default -> client.getLock(name).tryAcquire(options);
        };
    }

    private Optional<Lease> cancelled(String name, AcquireOptions options) {
        CompletableFuture<Optional<Lease>> future =
                client.getLock(name).tryAcquireAsync(options).toCompletableFuture();
        LockSupport.parkNanos(random.nextInt(3_000_000));
        return future.cancel(false) || future.isCompletedExceptionally() ? Optional.empty() : future.join();
    }

    private void work(Lease lease, Register register, long highestBefore) {
        register.granted(lease.fencingToken(), highestBefore);
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(holdMillis.applyAsInt(random));
        try (lease) {
            do {
                // Between the check and the write no other holder may come in while this one is still valid.
                register.write(lease.fencingToken(), lease::isHeld);
                LockSupport.parkNanos(random.nextInt(4_000_000));
            } while (lease.isHeld() && end - System.nanoTime() > 0);
        }
    }
}
