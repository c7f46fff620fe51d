package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.internal.connection.RedisFailure;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import dev.holdfast.lock.internal.protocol.AcquireRequest;
import dev.holdfast.lock.internal.protocol.AcquireRequest.Hearing;
import dev.holdfast.lock.internal.protocol.FencingTokens;
import dev.holdfast.lock.internal.protocol.OwnerId;
import dev.holdfast.lock.internal.protocol.RedisFailures;
import dev.holdfast.lock.internal.waiting.Answer;
import dev.holdfast.lock.internal.waiting.Answer.Busy;
import dev.holdfast.lock.internal.waiting.Answer.Granted;
import dev.holdfast.lock.internal.waiting.ReleaseSignals.Subscription;
import dev.holdfast.lock.internal.waiting.Waiter;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The attempt to get a lock under one owner id, and what is known of it. It asks until a grant has the owner id, or it is given up. A question
 * whose outcome is unknown is not taken back but asked again: it finds the place in line, or the grant, that the lost one brought.
 */
final class AcquireAttempt {

    /** How long a release grants the lock for: what a client that dies at that moment costs the others. */
    private static final long FIRST_LEASE_MILLIS = OwnerId.USUAL_FIRST_LEASE_MILLIS;

    /** Of the first lease, what must be left for a grant to be used without asking; the watchdog renews it well within that. */
    private static final int LEAST_SHARE = 3;

    /** For how long a channel without places is kept: the next wait then needs no subscription. */
    private static final long LINGER = TimeUnit.SECONDS.toNanos(10);

    /** A replicated acquisition has a connection of its own: the release that takes it back may overtake it. */
    private static final long IN_NO_ORDER = -1;

    private final LockEngine lock;
    private final QueuePlace place;
    private final String owner;
    private final long firstLeaseMillis;

    /** Whether Redis may have the owner in the line, or as a holder that this client does not know of. */
    private volatile boolean mayBeInRedis;

    private volatile long refusedAt;
    private volatile long lastDrawn = Busy.NOT_TOLD;
    private volatile long grantedToken = FencingTokens.NONE;
    private volatile @Nullable RedisFailure unanswered;

    private enum State {
        IDLE,
        ASKING,
        /** Given up while a request is under way: a release that is sent now may overtake it. */
        GIVEN_UP,
        /** Who received the answer owns the grant. */
        GRANTED
    }

    private State state = State.IDLE;

    private @Nullable Subscription messages;

    AcquireAttempt(LockEngine lock, QueuePlace place, LeaseTerms terms) {
        this.lock = lock;
        this.place = place;
        // What must be replicated, or is several locks at once, cannot be granted by a release: its place is told to
        // ask.
        boolean grantable = lock.traits().isGrantedByRelease() && lock.client.settings.minReplicas() == 0;
        this.firstLeaseMillis = grantable ? Math.min(FIRST_LEASE_MILLIS, terms.leaseMillis()) : 0;
        this.owner = lock.client.owners.next(terms.thread(), firstLeaseMillis, lock.id.permits());
        lock.client.releases.expectOwner();
    }

    String owner() {
        return owner;
    }

    boolean isInQueue() {
        return mayBeInRedis;
    }

    /** Asks once. What goes wrong is an answer, too. */
    void ask(Waiter waiter, boolean waits) {
        if (lock.client.closed.get()) {
            end(waiter, closed());
            return;
        }
        long interruptions = interruptions();
        boolean inSlots = lock.protocol.hasSlots();
        AcquireRequest request = new AcquireRequest(
                lock.name,
                lock.key(),
                owner,
                waiter.terms(),
                lock.tokens,
                FencingTokens.drawn(lock.client.highestToken.get()),
                waits ? lock.client.rooms.placeLifetimeMillis() : 0,
                hearing(),
                waiter.writerOwner());
        CompletableFuture<Void> attempted = lock.client.gateway.attempted();
        CompletionStage<Answer> sent = attempted.isDone()
                ? lock.protocol.acquire(request)
                : attempted.thenCompose(done -> lock.protocol.acquire(request));
        begin();
        sent.whenComplete((answer, failure) -> {
            Answer outcome = failure == null
                    ? answered(answer, waiter, waits)
                    : failed(RedisFailure.of(failure), waiter.terms(), interruptions);
            if (failure != null && !inSlots && lock.protocol.hasSlots()) {
                // The refusal has shown that keys have slots.
                ask(waiter, waits);
            } else {
                end(waiter, outcome);
            }
        });
    }

    private void end(Waiter waiter, Answer outcome) {
        boolean isToBeTakenBack = settle(outcome);
        place.answered(this, waiter, outcome);
        if (isToBeTakenBack) {
            takeBack();
        }
    }

    private Answer closed() {
        return new Answer.Unknown(RedisFailures.closed(lock.name), false);
    }

    /** Tells later whether an acquisition that is sent now must have been executed before what is sent then. */
    private long interruptions() {
        return lock.client.settings.minReplicas() == 0 ? lock.client.gateway.interruptions() : IN_NO_ORDER;
    }

    private Answer answered(Answer answer, Waiter waiter, boolean waits) {
        if (answer instanceof Granted || waiter.waits()) {
            lock.client.names.keep();
        }
        if (answer instanceof Granted granted) {
            return usable(granted, waiter.terms());
        }
        Busy busy = (Busy) answer;
        if (waits) {
            refusedAt = busy.sentAt();
            // Not told to a request that does not wait: then any older grant would seem to be later than the refusal.
            lastDrawn = busy.lastDrawn();
            mayBeInRedis = true;
        }
        return busy;
    }

    private Answer failed(RedisFailure failure, LeaseTerms terms, long interruptionsBefore) {
        if (failure.isOutcomeUnknown()) {
            mayBeInRedis = true;
            unanswered = failure;
            lock.client.releases.expectLateAcquisition(
                    owner, lock.client.ticker.now() + terms.ttlNanos(), interruptionsBefore);
        }
        return unknown(failure);
    }

    private Answer unknown(RedisFailure failure) {
        return new Answer.Unknown(RedisFailures.unavailable(lock.name, failure), failure.isTransient());
    }

    /** A grant that cannot be used stays in Redis: the next question finds it, or else the release that leaves the line. */
    private Answer usable(Granted granted, LeaseTerms terms) {
        Grant grant = granted.grant();
        lock.client.highestToken.accumulateAndGet(grant.lastToken(), Math::max);
        if (grant.validUntil() - lock.client.ticker.now() <= 0) {
            mayBeInRedis = true;
            return unknown(RedisFailure.tooLate("answered only after the " + terms + " was over"));
        }
        if (lock.client.closed.get()) {
            mayBeInRedis = true;
            return closed();
        }
        mayBeInRedis = false;
        return granted;
    }

    /** As {@link #listen}, but only if that needs no new subscription. Answers whether it is subscribed already. */
    synchronized boolean isListening() {
        if (messages == null && !isSubscribed()) {
            return false;
        }
        CompletableFuture<Void> ready = listen().toCompletableFuture();
        return ready.isDone() && !ready.isCompletedExceptionally();
    }

    /** Only the first question comes before a subscription. A room whose subscription was refused does not try another for its next attempt. */
    private synchronized Hearing hearing() {
        return isSubscribed() ? Hearing.YES : messages == null && !mayBeInRedis ? Hearing.SOON : Hearing.NO;
    }

    /** Whether messages to the place arrive at present. */
    boolean isSubscribed() {
        return lock.client.gateway.signals().isSubscribed(lock.wakeChannel());
    }

    /**
     * Hears from now on what releases send to the owner's place: {@code <place> <token>} grants the lock to it, {@code <place>} alone says to
     * ask. The places of a client have one channel, in a cluster one for each slot.
     *
     * @return completes once messages arrive
     */
    synchronized CompletionStage<Void> listen() {
        Subscription present = messages;
        if (present == null) {
            present = lock.client.gateway.signals().subscribe(lock.wakeChannel(), owner, message -> {
                grantedToken = FencingTokens.ofMessage(message);
                place.signaled();
            });
            messages = present;
        }
        return present.ready();
    }

    synchronized void stopListening() {
        if (messages != null) {
            messages.cancel(LINGER);
            messages = null;
        }
    }

    /**
     * The grant that the last message brought, if it is known to be valid. Redis counts its lease from the release that made it, which this client knows
     * only to be later than the last question that was refused: the refusal names the last number drawn, the grant's is greater. So the lease
     * counts from the sending of that question. Where that leaves too little, or is not known, the client asks, and finds the grant.
     */
    @Nullable
    Grant takeGrant() {
        long token = grantedToken;
        if (FencingTokens.drawn(token) <= lastDrawn || lock.client.closed.get()) {
            return null;
        }
        long lease = TimeUnit.MILLISECONDS.toNanos(firstLeaseMillis);
        long now = lock.client.ticker.now();
        if (refusedAt + lease - lease / LEAST_SHARE - now < 0) {
            return null;
        }
        Grant grant = Grant.byRelease(lock.name, lock.key(), owner, token, lock.tokens, refusedAt, lease, now);
        lock.client.highestToken.accumulateAndGet(grant.lastToken(), Math::max);
        mayBeInRedis = false;
        return grant;
    }

    private synchronized void begin() {
        if (state != State.GIVEN_UP) {
            state = State.ASKING;
        }
    }

    /** Before the answer is passed on: who learns of it may give up the place. Returns whether it was given up while the request was under way. */
    private synchronized boolean settle(Answer outcome) {
        boolean isGivenUp = state == State.GIVEN_UP;
        boolean isGranted = outcome instanceof Granted;
        state = isGranted ? State.GRANTED : State.IDLE;
        return isGivenUp && !isGranted;
    }

    /** Gives up what Redis may have of the owner, its place or its grant, once no request is under way. */
    void giveUp() {
        State before;
        synchronized (this) {
            before = state;
            state = before == State.ASKING ? State.GIVEN_UP : before;
        }
        if (before == State.IDLE) {
            takeBack();
        }
    }

    private void takeBack() {
        if (mayBeInRedis) {
            release();
        }
        lock.client.releases.decide();
    }

    private void release() {
        RedisFailure failure = unanswered;
        if (failure != null) {
            lock.client.events.takenBack(lock.name, lock.kind(), owner, failure);
        }
        long now = lock.client.ticker.now();
        long placeEnd = now + TimeUnit.MILLISECONDS.toNanos(lock.client.rooms.placeLifetimeMillis());
        lock.client.releases.deliver(lock, owner, now, placeEnd, null);
    }
}
