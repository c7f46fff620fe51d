package dev.holdfast.lock.composite;

import dev.holdfast.lock.AcquireOptions;
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

    /**
     * How a lost round ended.
     *
     * @param firstBusy the place of the first server that was busy, or -1
     * @param busy what it said
     * @param failures of those that could not be asked
     * @param impatient how many of these failed before their time to try was over: they are closed, or refuse for good
     */
    record Refusal(int firstBusy, @Nullable LockNotAcquiredException busy, List<Throwable> failures, int impatient) {}

    private enum State {
        ASKING,
        RAISING,
        WON,
        LOST
    }

    private final QuorumLock lock;
    private final AcquireOptions options;
    private final @Nullable Thread interruptedOnLoss;
    private final int size;
    private final int needed;
    private final List<Lease> held = new ArrayList<>();
    private final List<Integer> places = new ArrayList<>();
    private final List<Lease> raised = new ArrayList<>();
    private final List<Throwable> failures = new ArrayList<>();
    private final CompletableFuture<CompositeLease> won = new CompletableFuture<>();
    private final CompletableFuture<Refusal> lost = new CompletableFuture<>();
    private State state = State.ASKING;
    private int refused;
    private int impatient;
    private long trialEnd;
    private long token;
    private int firstBusy = Integer.MAX_VALUE;
    private @Nullable LockNotAcquiredException busy;
    private @Nullable CompositeLease whole;

    QuorumRound(QuorumLock lock, AcquireOptions options, @Nullable Thread interruptedOnLoss) {
        this.lock = lock;
        this.options = options;
        this.interruptedOnLoss = interruptedOnLoss;
        this.size = lock.locks().size();
        this.needed = lock.needed();
    }

    /** Completes with the lease if the round is won; else never. */
    CompletableFuture<CompositeLease> won() {
        return won;
    }

    /** Completes if the round is lost, once what it had is released. */
    CompletableFuture<Refusal> lost() {
        return lost;
    }

    /**
     * Asks all servers.
     *
     * @param had the place of a server that has granted the lock already, or -1
     * @param first its lease
     * @param patience how long to wait for a busy server
     */
    void ask(int had, @Nullable Lease first, Duration patience) {
        trialEnd = System.nanoTime() + patience.toNanos();
        for (int i = 0; i < size; i++) {
            int place = i;
            if (place == had && first != null) {
                granted(place, first);
            } else {
                Steps.<Lease>when(ask(place, patience), (lease, failure) -> {
                    if (failure == null) {
                        granted(place, lease);
                    } else {
                        refused(place, MemberReleases.unwrapped(failure));
                    }
                });
            }
        }
    }

    private CompletableFuture<? extends Lease> ask(int place, Duration patience) {
        return Members.acquire(lock.locks().get(place), options, patience);
    }

    private void granted(int place, Lease lease) {
        switch (state) {
            case LOST -> MemberReleases.of(List.of(lease));
            case WON -> join(lease);
            case RAISING -> {
                held.add(lease);
                raise(place, lease);
            }
            case ASKING -> {
                held.add(lease);
                places.add(place);
                if (held.size() >= needed) {
                    raiseAll();
                }
            }
        }
    }

    private void join(Lease lease) {
        CompositeLease joined = whole;
        if (joined != null) {
            joined.join(lease);
        }
    }

    private void raiseAll() {
        state = State.RAISING;
        token = held.stream().mapToLong(Lease::fencingToken).max().orElseThrow();
        List<Lease> majority = List.copyOf(held);
        for (int i = 0; i < majority.size(); i++) {
            raise(places.get(i), majority.get(i));
        }
    }

    private void raise(int place, Lease lease) {
        if (lease.fencingToken() >= token) {
            raised(lease);
            return;
        }
        Steps.<Void>when(askToRaise(place), (done, failure) -> {
            if (failure == null) {
                raised(lease);
            } else {
                refused(place, MemberReleases.unwrapped(failure));
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
        if (state != State.RAISING || raised.size() < needed) {
            return;
        }
        if (raised.stream().filter(Lease::isHeld).count() < needed) {
            // Over before a majority was complete. A server that was raised after its lease ended does not count.
            lose();
            return;
        }
        state = State.WON;
        CompositeLease lease = new CompositeLease(
                        lock.name(), held, needed, token, options, interruptedOnLoss, lock.callbacks())
                .watched();
        whole = lease;
        won.complete(lease);
    }

    private void refused(int place, Throwable reason) {
        refused++;
        if (reason instanceof LockNotAcquiredException answer) {
            if (place < firstBusy) {
                firstBusy = place;
                busy = answer;
            }
        } else {
            failures.add(reason);
            impatient += System.nanoTime() - trialEnd < 0 ? 1 : 0;
        }
        if (refused > size - needed && (state == State.ASKING || state == State.RAISING)) {
            lose();
        }
    }

    private void lose() {
        state = State.LOST;
        Refusal refusal = new Refusal(busy == null ? -1 : firstBusy, busy, List.copyOf(failures), impatient);
        MemberReleases.of(held).whenSettled(RELEASE_TIMEOUT_NANOS, () -> lost.complete(refusal));
    }
}
