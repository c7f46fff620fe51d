package dev.holdfast.lock.test;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseSource;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockEvent;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.internal.protocol.OwnerId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Makes locks busy for their next acquisition. Another instance holds such a lock until that acquisition gives up. */
final class BusyOnce {

    private record Refusal(String owner, List<Lease> holds) {

        void end() {
            holds.forEach(Lease::close);
        }
    }

    private final LockClient elsewhere;
    private final SeveralNames names;
    private final Set<String> next = new HashSet<>();
    private final Map<String, Refusal> refusals = new HashMap<>();

    BusyOnce(LockClient elsewhere, SeveralNames names) {
        this.elsewhere = elsewhere;
        this.names = names;
    }

    synchronized void plan(String lockName) {
        next.add(lockName);
    }

    synchronized void clear() {
        next.clear();
        List.copyOf(refusals.keySet()).forEach(this::end);
    }

    /** Called before an owner requests a lock. */
    synchronized void asked(String lockName, String owner, LockKind kind) {
        Refusal refusal = refusals.get(lockName);
        if (refusal != null && !refusal.owner.equals(owner)) {
            end(lockName);
        }
        if (next.remove(lockName)) {
            refusals.put(lockName, new Refusal(owner, holds(lockName, owner, kind)));
        }
    }

    /** Acquires the lock for the other instance; of a semaphore, all permits that are free. */
    private List<Lease> holds(String lockName, String owner, LockKind kind) {
        LeaseSource rival = switch (kind) {
            case SEMAPHORE -> elsewhere.getSemaphore(lockName, new OwnerId(owner).permits());
            case FAIR_SEMAPHORE -> elsewhere.getFairSemaphore(lockName, new OwnerId(owner).permits());
            case READ -> elsewhere.getLock(lockName, LockKind.WRITE);
            case REENTRANT, FAIR, WRITE -> elsewhere.getLock(lockName, kind);
        };
        return Stream.generate(() -> rival.tryAcquire(AcquireOptions.defaults()))
                .takeWhile(Optional::isPresent)
                .map(Optional::get)
                .toList();
    }

    /** Returns a listener that ends a refusal when its acquisition has timed out. */
    LockListener listener() {
        return new LockListener() {
            @Override
            public void onTimedOut(LockEvent.TimedOut event) {
                names.of(event.lockName()).forEach(BusyOnce.this::end);
            }
        };
    }

    private synchronized void end(String lockName) {
        Refusal ended = refusals.remove(lockName);
        if (ended != null) {
            ended.end();
        }
    }
}
