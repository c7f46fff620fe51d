package dev.holdfast.lock.test;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseSemaphore;
import dev.holdfast.lock.LeaseSource;
import dev.holdfast.lock.LockClient;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.function.Supplier;

/** The locks that the simulated other instance holds for the test. */
final class OtherHolders {

    private final List<OtherHolder> holders = new CopyOnWriteArrayList<>();
    private final LockClient elsewhere;
    private final Supplier<String> report;
    private final Runnable settle;

    OtherHolders(LockClient elsewhere, Supplier<String> report, Runnable settle) {
        this.elsewhere = elsewhere;
        this.report = report;
        this.settle = settle;
    }

    OtherHolder hold(String lockName, Function<LockClient, Optional<Lease>> acquisition) {
        Lease lease = acquisition
                .apply(elsewhere)
                .orElseThrow(() -> new IllegalStateException("Lock '" + lockName + "' is not free. " + report.get()));
        OtherHolder holder = new OtherHolder(lease, settle);
        holders.add(holder);
        return holder;
    }

    /** Holds the lock, or one permit of it, with the same kind and number of permits. */
    OtherHolder hold(LeaseSource lock, AcquireOptions options) {
        return hold(lock.name(), client -> same(client, lock).tryAcquire(options));
    }

    private static LeaseSource same(LockClient client, LeaseSource lock) {
        return switch (lock.kind()) {
            case SEMAPHORE -> client.getSemaphore(lock.name(), ((LeaseSemaphore) lock).permits());
            case FAIR_SEMAPHORE -> client.getFairSemaphore(lock.name(), ((LeaseSemaphore) lock).permits());
            case REENTRANT, FAIR, READ, WRITE -> client.getLock(lock.name(), lock.kind());
        };
    }

    void releaseAll() {
        holders.forEach(OtherHolder::release);
        holders.clear();
    }
}
