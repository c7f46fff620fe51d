package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.WaitingLock;
import dev.holdfast.lock.internal.lease.Counters;
import dev.holdfast.lock.internal.lease.Counters.Item;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.lease.Ticker;
import dev.holdfast.lock.internal.lease.Timer;
import dev.holdfast.lock.internal.waiting.Answer.Busy;
import dev.holdfast.lock.internal.waiting.Answer.Granted;
import dev.holdfast.lock.internal.waiting.Answer.Unknown;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
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
 * <p>A room that is refused has a place in the lock's line. It makes sure that it hears of releases, asks once more if it did not hear of
 * them before, then sleeps until a signal or the moment that its {@link LastAnswer} gives, whichever is first. A signal brings the grant that a
 * release elsewhere has made, or the room asks. A lost signal costs one poll. Waiters who arrive or leave meanwhile do not move that moment.
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
    private final Timer timer;
    private final Ticker ticker;
    private final Counters counters;

    /** How many readers of one client enter by questions that are on their way together. */
    private static final int MOST_AT_ONCE = 1000;

    private boolean asking;
    private int asides;
    private boolean fitting;
    private boolean signalled;
    private boolean listening;
    private boolean signalsRefused;

    /** How many want to be here, counted by {@link WaitingRooms}, which drops an empty room. */
    final AtomicInteger visitors = new AtomicInteger();

    /** Touched by {@link WaitingRooms} only, while it looks at this room. */
    boolean lingers;

    WaitingRoom(
            GrantSource source,
            Timer timer,
            Ticker ticker,
            WaitingRules rules,
            Crowd crowd,
            Counters counters,
            Executor ownThreads,
            Consumer<WaitingRoom> onLeave) {
        this.source = source;
        this.timer = timer;
        this.ticker = ticker;
        this.counters = counters;
        this.mailbox = new Mailbox(ownThreads);
        this.lastAnswer = new LastAnswer(ticker, rules.pollNanos(), crowd);
        this.alarm = new Alarm(timer, ticker, mailbox, this::alarmRings);
        this.arrivals = new Arrivals(mailbox::post, () -> left(onLeave));
        source.open(this::signal);
    }

    /** Somebody has gone, one way or another. */
    private void left(Consumer<WaitingRoom> onLeave) {
        boolean empty = arrivals.isEmpty();
        if (empty) {
            alarm.stop();
        }
        onLeave.accept(this);
        if (empty) {
            source.leaveLine();
        }
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
            } else if (!arrivals.isEmpty()) {
                wake();
            }
        });
    }

    private void wake() {
        signalled = false;
        counters.count(Item.WAKE_UP_BY_SIGNAL);
        Optional<Grant> grant = source.takeGrant();
        if (grant.isPresent()) {
            lastAnswer.granted();
            alarm.stop();
            passTo(arrivals.head(), grant.get());
        } else {
            ask();
        }
    }

    /** The lock was released for other clients although somebody waits here: asks for the next turn. */
    void askAgain() {
        mailbox.post(() -> {
            if (!isUndecided()) {
                ask();
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
            signalled = false;
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
        if (next == asker && grant.leaseNanos() >= next.terms().leaseNanos()) {
            give(asker, grant, false);
        } else if (next == null || fitting) {
            source.giveBack(grant);
        } else if (source.isShared()) {
            // While it was made to fit the next one, those who will not wait would be refused what they may have.
            source.giveBack(grant);
            ask();
        } else {
            passTo(next, grant);
        }
    }

    /** Passes on a grant that nobody has held yet. */
    private void passTo(@Nullable Waiter next, Grant grant) {
        if (next == null) {
            source.giveBack(grant);
            return;
        }
        passTo(next, grant, given -> {
            if (!given) {
                source.giveBack(grant);
                signalled = true;
            }
        });
    }

    private void give(Waiter next, Grant grant, boolean passedOn) {
        arrivals.serve(next, source.hold(grant, next, passedOn));
        if (source.isShared()) {
            askForAll();
        }
    }

    /** One waiter has a lock that several may have: the others ask at once and together. */
    private void askForAll() {
        List<Waiter> others = arrivals.first(MOST_AT_ONCE);
        if (others.size() < 2) {
            ask();
            return;
        }
        asking = true;
        asides = others.size();
        for (Waiter waiter : others) {
            answered(() -> source.askAside(waiter)).whenComplete((answer, failure) -> {
                Answer heard = failure == null ? answer : new Unknown(failure, false);
                mailbox.post(() -> heardAside(waiter, heard));
            });
        }
    }

    private void heardAside(Waiter waiter, Answer answer) {
        if (!(answer instanceof Granted granted)) {
            lastAnswer.refused(answer);
        } else if (waiter.isWaiting()) {
            arrivals.serve(waiter, source.hold(granted.grant(), waiter, false));
        } else {
            source.giveBack(granted.grant());
        }
        if (--asides > 0) {
            return;
        }
        asking = false;
        if (lastAnswer.get() == null && arrivals.head() != null) {
            // They have come meanwhile.
            askForAll();
        } else {
            decided();
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
        if (signalled) {
            wake();
        } else if (lastAnswer.get() instanceof Busy refusal) {
            if (source.isInLine()) {
                listen(refusal);
                alarm.noLaterThan(lastAnswer.askAt());
            } else {
                // The answer was to a waiter that did not wait, or has left and given up the place.
                ask();
            }
        } else {
            alarm.noLaterThan(lastAnswer.askAt());
        }
    }

    private void listen(Busy refusal) {
        if (listening || signalsRefused) {
            return;
        }
        CompletionStage<Void> ready = source.listen(refusal);
        if (ready == null) {
            return;
        }
        listening = true;
        ready.whenComplete((done, failure) -> mailbox.post(() -> {
            listening = false;
            if (failure != null) {
                signalsRefused = true;
                lastAnswer.signalsRefused();
                settle();
            } else if (isUndecided()) {
                // The release may have come before the subscription.
                signalled = true;
            } else {
                ask();
            }
        }));
    }

    private void alarmRings() {
        if (isUndecided()) {
            return;
        }
        if (lastAnswer.isBusy()) {
            counters.count(Item.WAKE_UP_BY_POLL);
        }
        ask();
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
        return source.isListening();
    }

    /** Called when nobody can come any more. */
    void shut() {
        mailbox.post(() -> {
            alarm.stop();
            source.close();
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
