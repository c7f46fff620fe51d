package dev.holdfast.lock.waiting;

import dev.holdfast.lock.WaitingLock;
import dev.holdfast.lock.lease.Grant;
import dev.holdfast.lock.lease.Tally;
import dev.holdfast.lock.lease.Tally.Item;
import dev.holdfast.lock.lease.Ticker;
import dev.holdfast.lock.lease.Timer;
import dev.holdfast.lock.waiting.Answer.Busy;
import dev.holdfast.lock.waiting.Answer.Granted;
import dev.holdfast.lock.waiting.Answer.Unknown;
import dev.holdfast.lock.waiting.ReleaseSignals.Subscription;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Where the threads of one client wait for one lock, in order of arrival. Only the room asks Redis, one question at a time and on behalf of
 * its head; the others cost nothing there. A grant that comes goes to whoever is head by then, so a waiter that leaves takes nothing with it.
 *
 * <p>A room that is refused subscribes, asks once more (the release may have come in between), then sleeps until a signal, the end of the
 * holder's lease or the poll interval, whichever is first. A lost signal costs one poll. Where Redis refuses the subscription there are no
 * signals at all: the room polls at short and growing intervals instead ({@link DeafSleep}).
 *
 * <p>Everything here runs behind the room's {@link Mailbox}.
 */
final class WaitingRoom {

    private static final long FIRST_BACKOFF = TimeUnit.MILLISECONDS.toNanos(5);
    private static final int MOST_DOUBLINGS = 5;
    private static final long A_MILLISECOND = TimeUnit.MILLISECONDS.toNanos(1);

    private final Mailbox mailbox = new Mailbox();
    private final DeafSleep deafSleep = new DeafSleep();
    private final Arrivals arrivals;
    private final Alarm alarm;
    private final GrantSource source;
    private final ReleaseSignals signals;
    private final Timer timer;
    private final Ticker ticker;
    private final WaitingRules rules;
    private final Tally tally;

    private boolean asking;
    private boolean signalled;
    private boolean standingBack;
    private int failures;
    private @Nullable Answer lastAnswer;
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
            Tally tally,
            Consumer<WaitingRoom> onLeave) {
        this.source = source;
        this.signals = signals;
        this.timer = timer;
        this.ticker = ticker;
        this.rules = rules;
        this.tally = tally;
        this.alarm = new Alarm(timer, mailbox, this::alarmRings);
        this.arrivals = new Arrivals(() -> left(onLeave), source::leftEmptyHanded);
    }

    /** Somebody has gone, one way or another. */
    private void left(Consumer<WaitingRoom> onLeave) {
        if (arrivals.isEmpty()) {
            alarm.stop();
        }
        onLeave.accept(this);
    }

    void enter(Waiter waiter) {
        mailbox.post(() -> {
            boolean first = arrivals.isEmpty();
            arrivals.add(waiter);
            if (asking) {
                // The answer that is coming decides, for one who will not wait as for the head.
                setDeadline(waiter);
            } else if (first) {
                ask();
            } else if (waiter.overdue) {
                arrivals.refuse(waiter, lastAnswer);
            } else {
                setDeadline(waiter);
            }
        });
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
            if (asking) {
                signalled = true;
            } else if (!arrivals.isEmpty()) {
                if (!standingBack) {
                    tally.count(Item.WAKE_UP_BY_SIGNAL);
                }
                ask();
            }
        });
    }

    /** The lock is about to be given back after this client had its share: signals are let pass until told to go on. */
    void standBack() {
        mailbox.post(() -> {
            standingBack = true;
            alarm.set(poll());
        });
    }

    /** Ends standing back after that time. */
    void goOnIn(long nanos) {
        mailbox.post(() -> {
            if (standingBack) {
                alarm.set(nanos);
            }
        });
    }

    /** Passes a released grant on to the next waiter, in memory where its lease is long enough. */
    void pass(Grant grant, Consumer<Boolean> outcome) {
        mailbox.post(() -> {
            Waiter next = arrivals.head();
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
                    if (failure == null && fits && arrivals.head() == next) {
                        give(next, grant, true);
                    } else {
                        // Too short for the next one, or the one it was made to fit has gone: back to Redis.
                        source.giveBack(grant);
                        arrivals.refuseOverdue(lastAnswer);
                        settle();
                    }
                }));
    }

    private void ask() {
        Waiter head = arrivals.head();
        if (head == null) {
            return;
        }
        if (standingBack) {
            setDeadline(head);
            if (!alarm.isSet()) {
                alarm.set(WaitingRules.COURTESY_NANOS);
            }
            return;
        }
        asking = true;
        signalled = false;
        alarm.stop();
        deafSleep.asksFor(head);
        askFor(head).whenComplete((answer, failure) -> {
            Answer heard = failure == null ? answer : new Unknown(failure, false);
            mailbox.post(() -> heard(head, heard));
        });
    }

    /** A question that could not even be put is answered: otherwise the room would wait for that answer for ever. */
    private CompletionStage<Answer> askFor(Waiter head) {
        try {
            return source.ask(head);
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
            arrivals.refuseAll(lastAnswer);
        } else {
            arrivals.refuseOverdue(lastAnswer);
        }
        settle();
    }

    private void granted(Waiter asker, Grant grant) {
        Waiter next = arrivals.head();
        if (next == asker) {
            give(asker, grant, false);
        } else if (next == null) {
            source.giveBack(grant);
        } else if (source.isShared()) {
            // While it was made to fit the next one, those who will not wait would be refused what they may have.
            source.giveBack(grant);
            ask();
        } else {
            passTo(next, grant);
        }
    }

    private void give(Waiter next, Grant grant, boolean passedOn) {
        arrivals.serve(next, source.hold(grant, next, passedOn));
        if (source.isShared() && arrivals.head() != null) {
            // There may be room for the next one as well, and so for those who will not wait.
            ask();
            return;
        }
        arrivals.refuseOverdue(lastAnswer);
        settle();
    }

    /** After anything has happened: sees to it that a waiting head will ask again. */
    private void settle() {
        Waiter head = arrivals.head();
        if (asking || head == null) {
            return;
        }
        setDeadline(head);
        if (standingBack) {
            return;
        }
        if (signalled) {
            tally.count(Item.WAKE_UP_BY_SIGNAL);
            ask();
        } else if (lastAnswer instanceof Unknown) {
            alarm.set(FIRST_BACKOFF << Math.min(failures, MOST_DOUBLINGS));
        } else if (subscription == null) {
            listen();
        } else {
            // A millisecond more: Redis drops a key at the end of its last millisecond.
            alarm.set(
                    lastAnswer instanceof Busy busy
                            ? Math.min(busy.retryAfterNanos(), deafSleep.atMost(poll(), head)) + A_MILLISECOND
                            : deafSleep.atMost(poll(), head));
        }
    }

    private void listen() {
        // Until the confirmation comes the poll is what wakes the head.
        alarm.set(poll());
        Subscription asked = signals.subscribeAll(source.channels(), this::signal);
        subscription = asked;
        asked.ready()
                .whenComplete((ready, failure) -> mailbox.post(() -> {
                    if (failure != null) {
                        deafSleep.begin();
                        settle();
                    } else if (asking) {
                        // The release may have come before the subscription.
                        signalled = true;
                    } else {
                        ask();
                    }
                }));
    }

    private long poll() {
        return (long) (Math.min(rules.pollNanos(), source.longestSleepNanos())
                * ThreadLocalRandom.current().nextDouble(0.9, 1.0));
    }

    private void alarmRings() {
        boolean onItsOwn = !standingBack && lastAnswer instanceof Busy && !arrivals.isEmpty();
        standingBack = false;
        if (!asking) {
            if (onItsOwn) {
                tally.count(Item.WAKE_UP_BY_POLL);
            }
            ask();
        }
    }

    private void setDeadline(Waiter waiter) {
        waiter.setDeadline(timer, ticker, () -> mailbox.post(() -> deadlineCame(waiter)));
    }

    /** A question that is on its way is answered within a command timeout, and decides. */
    private void deadlineCame(Waiter waiter) {
        waiter.overdue = true;
        if (asking) {
            arrivals.letAnswerDecide();
        } else if (waiter.isWaiting()) {
            arrivals.refuse(waiter, lastAnswer);
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
            lastAnswer = new Unknown(source.closed(), false);
            arrivals.refuseAll(lastAnswer);
        });
    }
}
