package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.internal.connection.RedisFailure;
import dev.holdfast.lock.internal.connection.ReleaseSignals.Subscription;
import dev.holdfast.lock.internal.lease.Answer;
import dev.holdfast.lock.internal.lease.Answer.Busy;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import dev.holdfast.lock.internal.protocol.FencingTokens;
import dev.holdfast.lock.internal.protocol.LockProtocol.AcquireRequest;
import dev.holdfast.lock.internal.protocol.OwnerId;
import dev.holdfast.lock.internal.protocol.RedisFailures;
import dev.holdfast.lock.internal.waiting.LockPlace;
import dev.holdfast.lock.internal.waiting.Waiter;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The place of a room in the queue of its lock. It makes one {@link Attempt} after another. Each attempt lasts until a grant has its owner id
 * or the room has no waiters any more. A release elsewhere can grant the lock to the place, and notifies this client by a message.
 */
final class QueuePlace implements LockPlace {

    /** How long the subscription to Redisson's channel is kept, so that a busy lock does not subscribe and unsubscribe each time. */
    private static final long REDISSON_LINGER = TimeUnit.SECONDS.toNanos(1);

    /** How long a channel without places is kept, so that the next wait needs no new subscription. */
    private static final long CHANNEL_LINGER = TimeUnit.SECONDS.toNanos(10);

    /** Replaces the count for a replicated acquisition. It has its own connection, so the release that takes it back may overtake it. */
    private static final long IN_NO_ORDER = -1;

    private enum State {
        IDLE,
        ASKING,
        /** The attempt was given up while a request was under way. A release that is sent now could overtake the request. */
        GIVEN_UP,
        /** The receiver of the answer owns the grant. */
        GRANTED
    }

    private final Session session;
    private final NamedLock lock;
    private final Waiter.Entry room;

    private volatile @Nullable Attempt attempt;

    /**
     * Whether this client was subscribed to the messages for the place when the last request was sent. If the subscription has been interrupted since
     * then, the room is signaled when it is restored.
     */
    private boolean subscribed;

    private @Nullable Subscription foreign;

    QueuePlace(Session session, NamedLock lock, Waiter.Entry room) {
        this.session = session;
        this.lock = lock;
        this.room = room;
    }

    @Override
    public void ask(Waiter waiter) {
        Attempt asked = attempt;
        if (asked != null && asked.mayRead(waiter)) {
            leaveQueue();
            asked = null;
        }
        if (asked == null) {
            asked = new Attempt(waiter.terms());
            attempt = asked;
        } else {
            asked.begin();
        }
        subscribed = waiter.waits() && asked.isListening();
        asked.ask(waiter, waiter.waits());
    }

    @Override
    public void askAside(Waiter waiter) {
        Attempt aside = new Attempt(waiter.terms());
        aside.ask(waiter, false);
        aside.giveUp();
    }

    /** Ends a granted attempt before the room receives the answer, so that the room finds no place whose owner id belongs to a grant. */
    void answered(Attempt asked, Waiter waiter, Answer answer) {
        if (answer instanceof Grant) {
            end(asked);
        }
        room.answered(waiter, answer);
    }

    /** Ends an attempt whose owner id now belongs to a grant. */
    private void end(Attempt served) {
        served.stopListening();
        if (attempt == served) {
            attempt = null;
        }
    }

    @Override
    public Optional<Grant> takeGrant(Waiter next) {
        Attempt present = attempt;
        Grant grant = present == null ? null : present.takeGrant(next);
        if (present == null || grant == null) {
            return Optional.empty();
        }
        end(present);
        return Optional.of(grant);
    }

    @Override
    public boolean isInQueue() {
        Attempt present = attempt;
        return present != null && present.isInQueue();
    }

    @Override
    public @Nullable CompletionStage<Void> listen(Answer.Busy refusal) {
        Attempt present = attempt;
        if (!refusal.besideRedisson()) {
            close();
        } else if (foreign == null && present != null) {
            String taken = refusal.takenKey() == null ? lock.id.key() : refusal.takenKey();
            foreign = session.gateway
                    .signals()
                    .subscribe(lock.protocol.channel(taken, present.owner()), null, message -> room.signaled());
            return foreign.ready();
        }
        return present == null || subscribed ? null : present.listen();
    }

    @Override
    public boolean isSubscribed() {
        Attempt present = attempt;
        return present == null || present.isSubscribed();
    }

    @Override
    public void leaveQueue() {
        Attempt left = attempt;
        if (left != null) {
            attempt = null;
            left.stopListening();
            left.giveUp();
        }
    }

    @Override
    public void close() {
        if (foreign != null) {
            // A fair lock has a separate channel of Redisson for each owner, so it is not kept.
            foreign.cancel(lock.protocol.isInOrder() ? 0 : REDISSON_LINGER);
            foreign = null;
        }
    }

    /** Returns whether replicas must confirm a grant. */
    private boolean isReplicated() {
        return session.settings.minReplicas() > 0;
    }

    /**
     * An attempt to acquire a lock under one owner id. It sends requests until a grant has the owner id or the attempt is given up. A request whose
     * outcome is unknown is not taken back but repeated: the next request finds the place in the queue, or the grant, that the unanswered request may
     * have brought.
     */
    private final class Attempt implements Consumer<String> {

        private final String owner;
        /** The lease of a grant that a release makes. If the client dies at that moment, nobody else can get the lock for this time. */
        private final int firstLeaseMillis;

        /** Whether Redis may have the owner in the queue, or as a holder that this client does not know of. */
        private volatile boolean mayBeInRedis;

        private volatile long refusedAt;
        private volatile long lastDrawn = Busy.NOT_TOLD;
        private volatile long grantedToken = FencingTokens.NONE;
        private volatile @Nullable RedisFailure unanswered;
        /** The waiter for whom Redis may have granted the lock to this owner. */
        private volatile @Nullable Waiter undelivered;

        /** A new attempt is about to ask. Another thread may give it up at any time from then on. */
        private State state = State.ASKING;

        private @Nullable Subscription messages;

        Attempt(LeaseTerms terms) {
            // A release cannot grant a lock that must be replicated, or several locks at once. It then tells the
            // place to ask.
            boolean grantable = lock.protocol.isGrantedByRelease() && !isReplicated();
            this.firstLeaseMillis =
                    grantable ? (int) Math.min(OwnerId.USUAL_FIRST_LEASE_MILLIS, terms.leaseMillis()) : 0;
            this.owner = session.owners.next(terms.thread(), firstLeaseMillis, lock.id.permits());
            session.releases.expectOwner();
        }

        String owner() {
            return owner;
        }

        boolean isInQueue() {
            return mayBeInRedis;
        }

        /**
         * Returns whether the owner may already read for another waiter. Its token would be too old for this waiter, because other readers may have got
         * greater tokens before this one came. Nobody else can have got an exclusive lock.
         */
        boolean mayRead(Waiter waiter) {
            Waiter former = undelivered;
            return former != null && former != waiter && lock.id.kind() == LockKind.READ;
        }

        /** Sends one request. The receiver gets an answer in any case, even for a failure. */
        void ask(Waiter waiter, boolean waits) {
            if (session.releases.isClosing()) {
                end(waiter, closed());
                return;
            }
            long interruptions = interruptions();
            boolean inSlots = lock.protocol.hasSlots();
            AcquireRequest request = new AcquireRequest(
                    lock.name,
                    lock.id.key(),
                    owner,
                    waiter.terms(),
                    lock.tokens,
                    session.tokens.highestDrawn(),
                    waits ? session.rooms.placeLifetimeMillis() : 0,
                    isSubscribed(),
                    waiter.writerOwner());
            CompletableFuture<Void> attempted = session.gateway.attempted();
            CompletionStage<Answer> sent;
            try {
                sent = attempted.isDone()
                        ? lock.protocol.acquire(request)
                        : attempted.thenCompose(done -> lock.protocol.acquire(request));
            } catch (RuntimeException | Error thrown) {
                end(waiter, new Answer.Unknown(thrown, false));
                return;
            }
            if (session.releases.isClosing() && isGivenUp()) {
                // The release that the closing client has sent may have preceded the request.
                releaseBehindRequest();
            }
            sent.whenComplete((answer, failure) -> {
                Answer outcome = failure == null
                        ? answered(answer, waiter, waits)
                        : failed(RedisFailure.of(failure), waiter, interruptions);
                if (failure != null && !inSlots && lock.protocol.hasSlots()) {
                    // Repeats the request, because the refusal has shown that keys have slots.
                    ask(waiter, waits);
                } else {
                    end(waiter, outcome);
                }
            });
        }

        private void end(Waiter waiter, Answer outcome) {
            boolean isToBeTakenBack = settle(outcome);
            QueuePlace.this.answered(this, waiter, outcome);
            if (isToBeTakenBack) {
                leave();
            }
        }

        /** Ends an attempt that was given up while it asked, also what it began to listen to since. */
        private void leave() {
            stopListening();
            takeBack();
        }

        private synchronized boolean isGivenUp() {
            return state == State.GIVEN_UP;
        }

        private Answer closed() {
            return new Answer.Unknown(RedisFailures.closed(lock.name), false);
        }

        /** Returns the count of interruptions. While it does not change, Redis executes an acquisition before a release that is sent later. */
        private long interruptions() {
            return isReplicated() ? IN_NO_ORDER : session.gateway.interruptions();
        }

        private Answer answered(Answer answer, Waiter waiter, boolean waits) {
            if (answer instanceof Grant || waiter.waits()) {
                session.names.ensureWritten();
            }
            if (answer instanceof Grant grant) {
                return usable(grant, waiter);
            }
            Busy busy = (Busy) answer;
            undelivered = null;
            if (waits) {
                refusedAt = busy.sentAt();
                // Set only for a request that waits, because Redis returns this number only to such a request.
                // Otherwise, any older grant would seem to be later than the refusal.
                lastDrawn = busy.lastDrawn();
                mayBeInRedis = true;
            }
            return busy;
        }

        private Answer failed(RedisFailure failure, Waiter waiter, long interruptionsBefore) {
            if (failure.isOutcomeUnknown()) {
                mayBeInRedis = true;
                unanswered = failure;
                undelivered = waiter;
                session.releases.expectLateAcquisition(
                        owner, session.settings.ticker().now() + waiter.terms().ttlNanos(), interruptionsBefore);
            }
            return unknown(failure);
        }

        private Answer unknown(RedisFailure failure) {
            return new Answer.Unknown(RedisFailures.ofRequest(lock.name, failure), failure.isTransient());
        }

        /** Checks a grant. An unusable grant stays in Redis. The next request finds it, or the release that leaves the queue removes it. */
        private Answer usable(Grant grant, Waiter waiter) {
            session.tokens.seen(grant);
            if (grant.validUntil() - session.settings.ticker().now() <= 0) {
                mayBeInRedis = true;
                undelivered = waiter;
                return unknown(RedisFailure.tooLate("answered only after the " + waiter.terms() + " was over"));
            }
            if (session.releases.isClosing()) {
                mayBeInRedis = true;
                return closed();
            }
            return grant;
        }

        /** Subscribes like {@link #listen}, but only if that needs no new subscription in Redis. Returns whether messages already arrive. */
        synchronized boolean isListening() {
            if (messages == null && !isSubscribed()) {
                return false;
            }
            CompletableFuture<Void> ready = listen().toCompletableFuture();
            return ready.isDone() && !ready.isCompletedExceptionally();
        }

        /** Returns whether messages to the place arrive at present. */
        boolean isSubscribed() {
            return session.gateway.signals().isSubscribed(lock.wakeChannel(session.owners));
        }

        /**
         * Starts to receive the messages that releases send to the owner's place. The message {@code <place> <token>} grants the lock to the place, and
         * {@code <place>} alone tells it to ask. All places of a client share one channel, or one channel for each slot in a cluster.
         *
         * @return a stage that completes once messages arrive
         */
        synchronized CompletionStage<Void> listen() {
            if (messages == null) {
                messages = session.gateway.signals().subscribe(lock.wakeChannel(session.owners), owner, this);
            }
            return messages.ready();
        }

        /** Called with a message to the owner's place. */
        @Override
        public void accept(String message) {
            grantedToken = FencingTokens.ofMessage(message);
            room.signaled();
        }

        synchronized void stopListening() {
            if (messages != null) {
                messages.cancel(CHANNEL_LINGER);
                messages = null;
            }
        }

        /**
         * Returns the grant from the last message, if the grant is known to be valid. Its lease began with the release that made it. This client only
         * knows that the release came after the last refused request: the refusal contains the last number drawn, and the number of the grant is
         * greater. So the lease is counted from the time at which that request was sent. If the lease is too short for the waiter, or the order is
         * not known, the client asks and finds the grant.
         */
        @Nullable
        Grant takeGrant(Waiter next) {
            long token = grantedToken;
            if (FencingTokens.drawn(token) <= lastDrawn || session.releases.isClosing()) {
                return null;
            }
            long lease = TimeUnit.MILLISECONDS.toNanos(firstLeaseMillis);
            long now = session.settings.ticker().now();
            Grant grant = Grant.byRelease(lock.name, lock.id.key(), owner, token, lock.tokens, refusedAt, lease, now);
            if (!session.handOver.fits(lock.id, grant, next)) {
                return null;
            }
            session.tokens.seen(grant);
            return grant;
        }

        private synchronized void begin() {
            if (state != State.GIVEN_UP) {
                state = State.ASKING;
            }
        }

        /**
         * Updates the state before the answer is passed on, because its receiver may give up the place. Returns whether the attempt was given up while
         * the request was under way and must now be taken back.
         */
        private synchronized boolean settle(Answer outcome) {
            boolean isGivenUp = state == State.GIVEN_UP;
            boolean isGranted = outcome instanceof Grant;
            state = isGranted ? State.GRANTED : State.IDLE;
            return isGivenUp && !isGranted;
        }

        /** Gives up the owner's place or grant in Redis, once no request is under way. */
        void giveUp() {
            State before;
            synchronized (this) {
                before = state;
                state = before == State.ASKING ? State.GIVEN_UP : before;
            }
            if (before == State.IDLE) {
                takeBack();
            } else if (before == State.ASKING && session.releases.isClosing()) {
                releaseBehindRequest();
            }
        }

        /**
         * Sends a release without waiting for the answer to the request that is under way, because a closing client may end before the answer comes.
         * On the same connection, Redis executes the release after the request. If the answer does come, the attempt is taken back as usual.
         */
        private void releaseBehindRequest() {
            lock.protocol
                    .release(lock.id.key(), owner, 0, session.tokens.highestDrawn())
                    .exceptionally(unheard -> null);
        }

        private void takeBack() {
            if (mayBeInRedis) {
                long lifetime = TimeUnit.MILLISECONDS.toNanos(session.rooms.placeLifetimeMillis());
                session.releases.takeBack(lock, owner, session.settings.ticker().now() + lifetime, unanswered);
            }
            session.releases.decide();
        }
    }
}
