package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.WaitingLock;
import dev.holdfast.lock.internal.lease.Counters;
import dev.holdfast.lock.internal.lease.Counters.Item;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.lease.Ticker;
import dev.holdfast.lock.internal.lease.Timer;
import dev.holdfast.lock.internal.waiting.Answer.Granted;
import dev.holdfast.lock.internal.waiting.Answer.Unknown;
import dev.holdfast.lock.internal.waiting.ReleaseSignals.Subscription;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Where the threads of one client wait for one lock, in order of arrival. Only the room asks Redis, one question at a time and on behalf of
 * its head; the others cost nothing there. A grant that comes goes to whoever is head by then, so a waiter that leaves takes nothing with it.
 *
 * <p>A room that is refused subscribes, asks once more (the release may have come in between), then sleeps until a signal or the moment that
 * its {@link LastAnswer} gives, whichever is first. A lost signal costs one poll. Those who arrive or leave meanwhile do not move that moment.
 *
 * <p>While somebody waits, a question or a grant's confirmation is on its way, or the alarm is set. Everything here runs behind the room's
 * {@link Mailbox}.
 */
final class WaitingRoom {

    private final Mailbox mailbox;
    private final Arrivals arrivals;
    private final LastAnswer lastAnswer;
    private final Alarm alarm;
    private final GrantSource source;
    private final ReleaseSignals signals;
    private final Timer timer;
    private final Ticker ticker;
    private final Counters counters;

    private boolean asking;
    private boolean fitting;
    private boolean signalled;
    private boolean standingBack;
    private @Nullable Subscription subscription;

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
            Counters counters,
            Executor ownThreads,
            Consumer<WaitingRoom> onLeave) {
        this.source = source;
        this.signals = signals;
        this.timer = timer;
        this.ticker = ticker;
        this.counters = counters;
        this.mailbox = new Mailbox(ownThreads);
        this.lastAnswer = new LastAnswer(ticker, Math.min(rules.pollNanos(), source.longestSleepNanos()));
        this.alarm = new Alarm(timer, ticker, mailbox, this::alarmRings);
        this.arrivals = new Arrivals(mailbox::post, () -> left(onLeave), source::leftEmptyHanded);
    }

    /** Somebody has gone, one way or another. */
    private void left(Consumer<WaitingRoom> onLeave) {
        if (arrivals.isEmpty()) {
            alarm.stop();
            standingBack = false;
        }
        onLeave.accept(this);
    }

    void enter(Waiter waiter) {
        mailbox.post(() -> {
            boolean first = arrivals.isEmpty();
            arrivals.add(waiter);
            if (isUndecided()) {
                // What is on its way decides, for a waiter that tries once as for the head.
                setDeadline(waiter);
            } else if (first) {
                ask();
            } else if (alarm.isDue()) {
                // The last answer is out of date, although its alarm has not rung yet.
                setDeadline(waiter);
                alarmRings();
            } else if (waiter.overdue) {
                arrivals.refuse(waiter, lastAnswer.get());
            } else {
                setDeadline(waiter);
            }
        });
    }

    /** Whether a question or the confirmation of a grant is on its way. */
    private boolean isUndecided() {
        return asking || fitting;
    }

    /** A waiter settled its own result, by giving up. */
    void left(Waiter waiter) {
        mailbox.post(() -> {
            if (arrivals.gone(waiter)) {
                settle();
            }
        });
    }

    void signal() {
        mailbox.post(() -> {
            if (isUndecided()) {
                signalled = true;
            } else if (!arrivals.isEmpty() && !standingBack) {
                counters.count(Item.WAKE_UP_BY_SIGNAL);
                ask();
            }
        });
    }

    /** The lock is about to be released to all clients: this one does not ask until {@link #goOnIn} or the poll interval. */
    void standBack() {
        mailbox.post(() -> {
            if (!arrivals.isEmpty()) {
                standingBack = true;
                settle();
            }
        });
    }

    /** Ends standing back after that time. */
    void goOnIn(long nanos) {
        mailbox.post(() -> {
            if (standingBack) {
                alarm.noLaterThan(ticker.now() + nanos);
            }
        });
    }

    /**
     * Passes a released grant on to the next waiter, in memory if it was confirmed just now and its lease is long enough.
     *
     * @param outcome told whether the next waiter gets it, before that waiter does: the release is reported before the next acquisition. If
     *     not, the grant is still the caller's to release
     */
    void pass(Grant grant, Consumer<Boolean> outcome) {
        mailbox.post(() -> {
            Waiter next = arrivals.head();
            if (next == null || fitting || lastAnswer.namesAnother(grant.owner())) {
                outcome.accept(false);
            } else {
                passTo(next, grant, outcome);
            }
        });
    }

    private void passTo(Waiter next, Grant grant, Consumer<Boolean> outcome) {
        fitting = true;
        answered(() -> source.fit(grant, next.terms()))
                .whenComplete((fits, failure) -> mailbox.post(() -> {
                    fitting = false;
                    fitted(next, grant, outcome, failure == null && fits);
                    if (failure != null) {
                        lastAnswer.refused(new Unknown(cause(failure), true));
                    }
                    decided();
                }));
    }

    private void fitted(Waiter next, Grant grant, Consumer<Boolean> outcome, boolean fits) {
        Waiter head = arrivals.head();
        if (!fits || head == null) {
            outcome.accept(false);
        } else if (head == next) {
            outcome.accept(true);
            lastAnswer.granted();
            give(next, grant, true);
        } else {
            // The one that it was made to fit has gone.
            passTo(head, grant, outcome);
        }
    }

    private static Throwable cause(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    private void ask() {
        Waiter head = arrivals.head();
        if (head == null) {
            return;
        }
        asking = true;
        signalled = false;
        alarm.stop();
        answered(() -> source.ask(head)).whenComplete((answer, failure) -> {
            Answer heard = failure == null ? answer : new Unknown(failure, false);
            mailbox.post(() -> heard(head, heard));
        });
    }

    /** A question that could not even be put is answered: otherwise the room would wait for that answer for ever. */
    private static <T> CompletionStage<T> answered(Supplier<CompletionStage<T>> question) {
        try {
            return question.get();
        } catch (RuntimeException | Error thrown) {
            return CompletableFuture.failedFuture(thrown);
        }
    }

    private void heard(Waiter asker, Answer answer) {
        asking = false;
        if (answer instanceof Granted granted) {
            lastAnswer.granted();
            granted(asker, granted.grant());
        } else {
            lastAnswer.refused(answer);
            if (answer instanceof Unknown unknown && !unknown.passing()) {
                arrivals.refuseAll(answer);
            }
        }
        decided();
    }

    private void granted(Waiter asker, Grant grant) {
        Waiter next = arrivals.head();
        if (next == asker) {
            give(asker, grant, false);
        } else if (next == null || fitting) {
            source.giveBack(grant);
        } else if (source.isShared()) {
            // While it was made to fit the next one, those who will not wait would be refused what they may have.
            source.giveBack(grant);
            ask();
        } else {
            passTo(next, grant, given -> {
                if (!given) {
                    source.giveBack(grant);
                    alarm.noLaterThan(ticker.now() + WaitingRules.COURTESY_NANOS);
                }
            });
        }
    }

    private void give(Waiter next, Grant grant, boolean passedOn) {
        arrivals.serve(next, source.hold(grant, next, passedOn));
        if (source.isShared()) {
            // There may be room for the next one as well, and so for those who will not wait.
            ask();
        }
    }

    /** What was on its way has come: those whose time is over are refused, unless there is more to come. */
    private void decided() {
        if (!isUndecided()) {
            arrivals.refuseOverdue(lastAnswer.get());
            settle();
        }
    }

    /** After anything has happened: sees to it that a waiting head will ask again. */
    private void settle() {
        Waiter head = arrivals.head();
        if (isUndecided() || head == null) {
            return;
        }
        setDeadline(head);
        if (signalled && !standingBack) {
            counters.count(Item.WAKE_UP_BY_SIGNAL);
            ask();
            return;
        }
        alarm.noLaterThan(lastAnswer.askAt());
        if (subscription == null && !(lastAnswer.get() instanceof Unknown)) {
            listen();
        }
    }

    private void listen() {
        Subscription asked = signals.subscribeAll(source.channels(), this::signal);
        subscription = asked;
        asked.ready()
                .whenComplete((ready, failure) -> mailbox.post(() -> {
                    if (failure != null) {
                        lastAnswer.signalsRefused();
                        settle();
                    } else if (isUndecided()) {
                        // The release may have come before the subscription.
                        signalled = true;
                    } else if (!standingBack) {
                        ask();
                    }
                }));
    }

    private void alarmRings() {
        if (!standingBack && lastAnswer.isBusy() && !isUndecided()) {
            counters.count(Item.WAKE_UP_BY_POLL);
        }
        standingBack = false;
        if (!isUndecided()) {
            ask();
        }
    }

    private void setDeadline(Waiter waiter) {
        waiter.setDeadline(timer, ticker, () -> mailbox.post(() -> deadlineCame(waiter)));
    }

    /** A question that is on its way is answered within a command timeout, and decides. */
    private void deadlineCame(Waiter waiter) {
        waiter.overdue = true;
        if (isUndecided()) {
            arrivals.letAnswerDecide();
        } else if (waiter.isWaiting()) {
            arrivals.refuse(waiter, lastAnswer.get());
            settle();
        }
    }

    /** Who is here, in order of arrival, with the time that each has waited until then: the first so many of them. */
    CompletableFuture<List<WaitingLock>> waiting(int most, long now) {
        return mailbox.look(() -> arrivals.first(most).stream()
                .map(waiter -> describe(waiter, now))
                .toList());
    }

    private WaitingLock describe(Waiter waiter, long now) {
        Duration waited = Duration.ofNanos(Math.max(0, now - waiter.since()));
        return new WaitingLock(
                source.lockName(),
                source.kind(),
                waited,
                waiter.terms().thread().getName());
    }

    boolean isListening() {
        return subscription != null;
    }

    /** Called when nobody can come any more. */
    void shut() {
        mailbox.post(() -> {
            alarm.stop();
            Subscription listened = subscription;
            if (listened != null) {
                listened.cancel();
            }
        });
    }

    /** The client closes: everybody is told. */
    void refuseEverybody() {
        mailbox.post(() -> {
            lastAnswer.refused(new Unknown(source.closed(), false));
            arrivals.refuseAll(lastAnswer.get());
        });
    }
}
