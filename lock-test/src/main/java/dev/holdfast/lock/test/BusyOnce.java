package dev.holdfast.lock.test;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockEvent;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockListener;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Locks whose next acquisition finds them held by another instance, until it gives up. */
final class BusyOnce {

    private record Refusal(String owner, Optional<Lease> hold) {

        void end() {
            hold.ifPresent(Lease::close);
        }
    }

    private final LockClient elsewhere;
    private final Set<String> next = new HashSet<>();
    private final Map<String, Refusal> refusals = new HashMap<>();

    BusyOnce(LockClient elsewhere) {
        this.elsewhere = elsewhere;
    }

    synchronized void plan(String lockName) {
        next.add(lockName);
    }

    synchronized void clear() {
        next.clear();
        List.copyOf(refusals.keySet()).forEach(this::end);
    }

    /** An owner is about to ask for a lock. */
    synchronized void asked(String lockName, String owner, LockKind kind) {
        Refusal refusal = refusals.get(lockName);
        if (refusal != null && !refusal.owner.equals(owner)) {
            end(lockName);
        }
        if (next.remove(lockName)) {
            LockKind rival = kind == LockKind.READ ? LockKind.WRITE : kind;
            refusals.put(
                    lockName,
                    new Refusal(owner, elsewhere.getLock(lockName, rival).tryAcquire(AcquireOptions.defaults())));
        }
    }

    /** Learns when an acquisition has been refused. */
    LockListener listener() {
        return new LockListener() {
            @Override
            public void onTimedOut(LockEvent.TimedOut event) {
                end(event.lockName());
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
