package dev.holdfast.lock.waiting;

import dev.holdfast.lock.lease.Grant;
import dev.holdfast.lock.lease.Ticker;
import dev.holdfast.lock.lease.Timer;
import dev.holdfast.lock.waiting.Answer.Busy;
import dev.holdfast.lock.waiting.Answer.Granted;
import dev.holdfast.lock.waiting.Answer.Unknown;
import dev.holdfast.lock.waiting.ReleaseSignals.Subscription;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Where the threads of one client wait for one lock, in order of arrival. Only the room asks Redis, one question at a time and on behalf of
 * its head; the others cost nothing there. A grant that comes goes to whoever is head by then, so a waiter that leaves takes nothing with it.
 *
 * <p>A room that is refused subscribes, asks once more (the release may have come in between), then sleeps until a signal, the end of the
 * holder's lease or the poll interval, whichever is first. A lost signal costs one poll.
 *
 * <p>Everything here runs behind the room's {@link Mailbox}.
 */
final class WaitingRoom {

    private enum Listening {
        NO,
        ASKED_FOR,
        YES
    }

    private static final long FIRST_BACKOFF = TimeUnit.MILLISECONDS.toNanos(5);
    private static final int MOST_DOUBLINGS = 5;
    private static final long A_MILLISECOND = TimeUnit.MILLISECONDS.toNanos(1);

    private final Mailbox mailbox = new Mailbox();
    private final Set<Waiter> queue = new LinkedHashSet<>();
    private final GrantSource source;
    private final ReleaseSignals signals;
    private final Timer timer;
    private final Ticker ticker;
    private final WaitingRules rules;
    private final Consumer<WaitingRoom> onLeave;

    private boolean asking;
    private boolean signalled;
    private boolean someOverdue;
    private boolean standingBack;
    private int failures;
    private @Nullable Answer lastAnswer;
    private Listening listening = Listening.NO;
    private @Nullable Subscription subscription;
    private Timer.@Nullable Alarm alarm;

    /** How many want to be here, counted by {@link WaitingRooms}, which drops an empty room. */
    final AtomicInteger visitors = new AtomicInteger();

    /** Touched by {@link WaitingRooms} only, while it looks at this room. */
    boolean lingers;

    WaitingRoom(
            GrantSource source,
            ReleaseSignals signals,
            Timer timer,
            Ticker ticker,
            WaitingRules rules,
            Consumer<WaitingRoom> onLeave) {
        this.source = source;
        this.signals = signals;
        this.timer = timer;
        this.ticker = ticker;
        this.rules = rules;
        this.onLeave = onLeave;
    }

    void enter(Waiter waiter) {
        mailbox.post(() -> {
            boolean first = queue.isEmpty();
            queue.add(waiter);
            if (!asking && !first && waiter.overdue) {
                refuse(waiter);
                return;
            }
            // The answer that is coming decides, for one who will not wait as for the head.
            someOverdue |= waiter.overdue;
            if (!asking && first) {
                ask();
            } else {
                setDeadline(waiter);
            }
        });
    }

    /** A waiter settled its own result, by giving up. */
    void left(Waiter waiter) {
        mailbox.post(() -> {
            if (queue.remove(waiter)) {
                leave(waiter);
                settle();
            }
        });
    }

    void signal() {
        mailbox.post(() -> {
            if (asking) {
                signalled = true;
            } else if (!queue.isEmpty()) {
                ask();
            }
        });
    }

    /** The lock is about to be given back after this client had its share: signals are let pass until told to go on. */
    void standBack() {
        mailbox.post(() -> {
            standingBack = true;
            setAlarm(poll());
        });
    }

    /** Ends standing back after that time. */
    void goOnIn(long nanos) {
        mailbox.post(() -> {
            if (standingBack) {
                setAlarm(nanos);
            }
        });
    }

    /** Passes a released grant on to the next waiter, in memory where its lease is long enough. */
    void pass(Grant grant, Consumer<Boolean> outcome) {
        mailbox.post(() -> {
            Waiter next = nextWaiter();
            // The release is told before the next holder's acquisition is.
            outcome.accept(next != null);
            if (next != null) {
                lastAnswer = null;
                passTo(next, grant);
            }
        });
    }

    private void passTo(Waiter next, Grant grant) {
        source.fit(grant, next.terms())
                .whenComplete((fits, failure) -> mailbox.post(() -> {
                    if (failure == null && fits && nextWaiter() == next) {
                        give(next, grant, true);
                    } else {
                        // Too short for the next one, or the one it was made to fit has gone: back to Redis.
                        source.giveBack(grant);
                        refuseOverdue();
                        settle();
                    }
                }));
    }

    private void ask() {
        Waiter head = nextWaiter();
        if (head == null) {
            return;
        }
        if (standingBack) {
            setDeadline(head);
            if (alarm == null) {
                setAlarm(WaitingRules.COURTESY_NANOS);
            }
            return;
        }
        asking = true;
        signalled = false;
        stopAlarm();
        askFor(head).whenComplete((answer, failure) -> {
            Answer heard = failure == null ? answer : new Unknown(failure, false);
            mailbox.post(() -> heard(head, heard));
        });
    }

    /** A question that could not even be put is answered: otherwise the room would wait for that answer for ever. */
    private CompletionStage<Answer> askFor(Waiter head) {
        try {
            return source.ask(head.terms());
        } catch (RuntimeException | Error thrown) {
            return CompletableFuture.failedFuture(thrown);
        }
    }

    private void heard(Waiter asker, Answer answer) {
        asking = false;
        lastAnswer = answer;
        if (answer instanceof Granted granted) {
            failures = 0;
            lastAnswer = null;
            granted(asker, granted.grant());
            return;
        }
        failures = answer instanceof Unknown ? failures + 1 : 0;
        if (answer instanceof Unknown unknown && !unknown.passing()) {
            refuseAll(waiter -> true);
        } else {
            refuseOverdue();
        }
        settle();
    }

    private void granted(Waiter asker, Grant grant) {
        Waiter next = nextWaiter();
        if (next == asker) {
            give(asker, grant, false);
        } else if (next == null) {
            source.giveBack(grant);
        } else {
            passTo(next, grant);
        }
    }

    private void give(Waiter next, Grant grant, boolean passedOn) {
        queue.remove(next);
        var lease = source.hold(grant, next, passedOn);
        if (!next.result().complete(Optional.of(lease))) {
            // It gave up just now. The lease is nobody's: its release finds the next waiter.
            lease.releaseAsync();
        }
        leave(next);
        refuseOverdue();
        settle();
    }

    /** After anything has happened: sees to it that a waiting head will ask again. */
    private void settle() {
        Waiter head = nextWaiter();
        if (asking || head == null) {
            return;
        }
        setDeadline(head);
        if (standingBack) {
            return;
        }
        if (signalled) {
            ask();
        } else if (lastAnswer instanceof Unknown) {
            setAlarm(FIRST_BACKOFF << Math.min(failures, MOST_DOUBLINGS));
        } else if (listening == Listening.NO) {
            listen();
        } else {
            // A millisecond more: Redis drops a key at the end of its last millisecond.
            setAlarm(
                    lastAnswer instanceof Busy busy
                            ? Math.min(busy.retryAfterNanos(), poll()) + A_MILLISECOND
                            : poll());
        }
    }

    private void listen() {
        listening = Listening.ASKED_FOR;
        // Until the confirmation comes the poll is what wakes the head.
        setAlarm(poll());
        Subscription asked = signals.subscribe(source.channel(), this::signal);
        subscription = asked;
        asked.ready()
                .whenComplete((ready, failure) -> mailbox.post(() -> {
                    listening = Listening.YES;
                    if (failure == null) {
                        // The release may have come before the subscription.
                        if (asking) {
                            signalled = true;
                        } else {
                            ask();
                        }
                    }
                }));
    }

    private long poll() {
        return (long) (rules.pollNanos() * ThreadLocalRandom.current().nextDouble(0.9, 1.0));
    }

    private void setAlarm(long nanos) {
        stopAlarm();
        alarm = timer.after(nanos, () -> mailbox.post(this::alarmRings));
    }

    private void stopAlarm() {
        Timer.Alarm set = alarm;
        if (set != null) {
            set.cancel();
            alarm = null;
        }
    }

    private void alarmRings() {
        alarm = null;
        standingBack = false;
        if (!asking) {
            ask();
        }
    }

    private void setDeadline(Waiter waiter) {
        if (waiter.deadline == null && !waiter.overdue && waiter.waitNanos() != Waiter.FOREVER) {
            // Counted from the start: the first question may have taken a command timeout already.
            long left = waiter.waitNanos() - (ticker.now() - waiter.since());
            waiter.deadline = timer.after(left, () -> mailbox.post(() -> deadlineCame(waiter)));
        }
    }

    /** A question that is on its way is answered within a command timeout, and decides. */
    private void deadlineCame(Waiter waiter) {
        waiter.overdue = true;
        if (asking) {
            someOverdue = true;
        } else if (waiter.isWaiting() && queue.remove(waiter)) {
            refuse(waiter);
            settle();
        }
    }

    private void refuseOverdue() {
        if (someOverdue) {
            someOverdue = false;
            refuseAll(waiter -> waiter.overdue);
        }
    }

    private void refuseAll(Predicate<Waiter> which) {
        List<Waiter> refused = new ArrayList<>();
        queue.removeIf(waiter -> which.test(waiter) && refused.add(waiter));
        refused.forEach(this::refuse);
    }

    private void refuse(Waiter waiter) {
        queue.remove(waiter);
        waiter.heard(lastAnswer);
        if (lastAnswer instanceof Unknown unknown) {
            waiter.result().completeExceptionally(unknown.problem());
        } else {
            waiter.result().complete(Optional.empty());
        }
        leave(waiter);
    }

    /** The first waiter that has not given up. */
    private @Nullable Waiter nextWaiter() {
        while (!queue.isEmpty()) {
            Waiter head = queue.iterator().next();
            if (head.isWaiting()) {
                return head;
            }
            queue.remove(head);
            leave(head);
        }
        return null;
    }

    private void leave(Waiter waiter) {
        Timer.Alarm deadline = waiter.deadline;
        if (deadline != null) {
            deadline.cancel();
        }
        if (queue.isEmpty()) {
            stopAlarm();
        }
        onLeave.accept(this);
    }

    boolean isListening() {
        return subscription != null;
    }

    /** Called when nobody can come any more. */
    void shut() {
        mailbox.post(() -> {
            stopAlarm();
            Subscription listened = subscription;
            if (listened != null) {
                listened.cancel();
            }
        });
    }

    /** The client closes: everybody is told. */
    void refuseEverybody() {
        mailbox.post(() -> {
            lastAnswer = new Unknown(source.closed(), false);
            refuseAll(waiter -> true);
        });
    }
}
