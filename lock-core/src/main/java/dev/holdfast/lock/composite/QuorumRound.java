package dev.holdfast.lock.composite;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.internal.thread.MemberLock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One request to all servers at once. It is won when a majority has granted the lock and knows the token, and lost as soon as so many have refused
 * that no majority is possible. A later grant joins the lease, or is released.
 *
 * <p>The token: two majorities share a server, but the greatest token of either may come from another one. So the tokens of the whole majority are
 * raised above it before the lease is granted, while it is held: every later majority has a server that draws a greater one.
 *
 * <p>Everything runs in {@link Steps}, so it needs no monitor.
 */
final class QuorumRound {

    /** How long a lost round waits for its releases: a silent server must not delay the next round. */
    private static final long RELEASE_TIMEOUT_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private enum State {
        ASKING,
        RAISING,
        WON,
        LOST
    }

    private record Part(int place, Lease lease) {}

    private final QuorumAcquisition acquisition;
    private final QuorumLock lock;
    private final List<Part> held = new ArrayList<>();
    private final List<Lease> raised = new ArrayList<>();
    private State state = State.ASKING;
    private int refused;
    private long trialEnd;
    private long token;
    private @Nullable CompositeLease whole;

    /** Whether one server had granted the lock before the others were asked. */
    boolean beganWithOne;

    /** The place of the first server that was busy, or -1. */
    int firstBusy = -1;

    /** What it said. */
    @Nullable
    LockNotAcquiredException busy;

    /** Those of the servers that could not be asked. */
    final List<Throwable> failures = new ArrayList<>();

    /** How many of these failed before their time to try was over: they are closed, or refuse for good. */
    int impatient;

    QuorumRound(QuorumAcquisition acquisition) {
        this.acquisition = acquisition;
        this.lock = acquisition.quorum;
    }

    /**
     * Asks all servers.
     *
     * @param had the place of a server that has granted the lock already, or -1
     * @param first its lease
     * @param patienceNanos how long to wait for a busy server
     */
    void ask(int had, @Nullable Lease first, long patienceNanos) {
        trialEnd = System.nanoTime() + patienceNanos;
        beganWithOne = first != null;
        for (int i = 0; i < lock.locks().size(); i++) {
            int place = i;
            if (place == had && first != null) {
                granted(new Part(place, first));
                continue;
            }
            CompletableFuture<? extends Lease> asked =
                    Members.acquire(lock.locks().get(place), acquisition.options, Duration.ofNanos(patienceNanos));
            Steps.<Lease>when(asked, (lease, failure) -> {
                if (failure == null) {
                    granted(new Part(place, lease));
                } else {
                    refused(place, MemberReleases.unwrapped(failure));
                }
            });
        }
    }

    private void granted(Part part) {
        if (state == State.LOST) {
            MemberReleases.of(List.of(part.lease), 0);
        } else if (whole != null) {
            whole.join(part.lease);
        } else {
            held.add(part);
            if (state == State.RAISING) {
                raise(part);
            } else if (held.size() >= lock.needed()) {
                state = State.RAISING;
                token = leases().stream().mapToLong(Lease::fencingToken).max().orElseThrow();
                List.copyOf(held).forEach(this::raise);
            }
        }
    }

    private List<Lease> leases() {
        return held.stream().map(Part::lease).toList();
    }

    private void raise(Part part) {
        if (part.lease.fencingToken() >= token) {
            raised(part.lease);
            return;
        }
        Steps.<Void>when(askToRaise(part.place), (done, failure) -> {
            if (failure == null) {
                raised(part.lease);
            } else {
                refused(part.place, MemberReleases.unwrapped(failure));
            }
        });
    }

    private CompletionStage<Void> askToRaise(int place) {
        try {
            return lock.locks().get(place) instanceof MemberLock member
                    ? member.raiseTokens(token)
                    : lock.clients().get(place).raiseTokens(lock.name(), token);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void raised(Lease member) {
        raised.add(member);
        if (state != State.RAISING || raised.size() < lock.needed()) {
            return;
        }
        if (raised.stream().filter(Lease::isHeld).count() < lock.needed()) {
            // Over before a majority was complete. A server that was raised after its lease ended does not count.
            lose();
            return;
        }
        state = State.WON;
        whole = new CompositeLease(acquisition, leases(), lock.needed(), token).watched();
        acquisition.complete(whole);
    }

    private void refused(int place, Throwable reason) {
        if (state == State.WON || state == State.LOST) {
            return;
        }
        refused++;
        if (reason instanceof LockNotAcquiredException answer) {
            if (firstBusy < 0 || place < firstBusy) {
                firstBusy = place;
                busy = answer;
            }
        } else {
            failures.add(reason);
            impatient += System.nanoTime() - trialEnd < 0 ? 1 : 0;
        }
        if (refused > lock.spare()) {
            lose();
        }
    }

    private void lose() {
        state = State.LOST;
        MemberReleases.of(leases(), 0).whenSettled(RELEASE_TIMEOUT_NANOS, () -> acquisition.lost(this));
    }
}
