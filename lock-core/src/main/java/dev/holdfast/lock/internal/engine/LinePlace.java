package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.internal.connection.RedisFailure;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import dev.holdfast.lock.internal.protocol.FencingTokens;
import dev.holdfast.lock.internal.protocol.LockProtocol.Reply.Busy;
import dev.holdfast.lock.internal.protocol.OwnerIds;
import dev.holdfast.lock.internal.protocol.RedisFailures;
import dev.holdfast.lock.internal.protocol.RedisKind;
import dev.holdfast.lock.internal.waiting.Answer;
import dev.holdfast.lock.internal.waiting.GrantSource;
import dev.holdfast.lock.internal.waiting.ReleaseSignals.Subscription;
import dev.holdfast.lock.internal.waiting.Waiter;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A room's place in the line of its lock. A place is an owner id: the room asks under it until a grant has it, or nobody waits here any more.
 * Then the next question has a new one. So a question whose outcome is unknown is not taken back but asked again: it finds the place, or the
 * grant, that the lost one brought.
 *
 * <p>A release elsewhere grants the lock to the place and says so in a message. Redis counts the grant's lease from that release, which this
 * client knows only to be later than the last question that was refused: the refusal names the last number drawn, the grant's is greater. So the
 * lease counts from the sending of that question. Where that leaves too little, or is not known, the client asks, and finds the grant.
 */
final class LinePlace implements GrantSource {

    /** How long a release grants the lock for: what a client that dies at that moment costs the others. */
    private static final long FIRST_LEASE_MILLIS = 3_000;

    /** Of the first lease, what must be left for a grant to be used without asking; the watchdog renews it well within that. */
    private static final int LEAST_SHARE = 3;

    /** One owner id and what is known of it. */
    private final class Turn implements Questions.Asker {
        final String owner;
        final long firstLeaseMillis;

        /** Whether messages to the owner were heard before its last question was sent. */
        boolean heard;

        /** Whether Redis may have the owner in the line, or as the holder. */
        volatile boolean known;

        private volatile long refusedAt;
        private volatile long lastDrawn = Long.MAX_VALUE;
        private volatile long grantedToken = GrantMessages.ASK;
        private volatile @Nullable RedisFailure unanswered;

        Turn(String owner, long firstLeaseMillis) {
            this.owner = owner;
            this.firstLeaseMillis = firstLeaseMillis;
        }

        void message(long token) {
            grantedToken = token;
            onSignal.run();
        }

        @Override
        public void refused(Busy busy, boolean waits) {
            refusedAt = busy.sentAt();
            lastDrawn = busy.lastDrawn();
            known |= waits;
        }

        @Override
        public void mayComeLate(RedisFailure failure, long leaseEnd, long interruptionsBefore) {
            known = true;
            unanswered = failure;
            parts.releases().mayComeLate(owner, leaseEnd, interruptionsBefore);
        }

        /** Left in Redis: the next question finds it, or else the release that leaves the line. */
        @Override
        public void tooLate(Grant grant) {
            known = true;
        }

        /** The owner id is a grant's from now on. */
        void end() {
            known = false;
            parts.messages().forget(wakePrefix, owner);
            if (turn == this) {
                turn = null;
            }
        }

        CompletableFuture<?> leave() {
            if (!known) {
                return CompletableFuture.completedFuture(null);
            }
            if (unanswered != null) {
                parts.events().takenBack(lockName(), kind(), owner, unanswered);
            }
            long now = parts.ticker().now();
            return parts.releases()
                    .deliver(
                            desk.protocol(),
                            key,
                            owner,
                            now,
                            now + TimeUnit.MILLISECONDS.toNanos(parts.rooms().patienceMillis()));
        }
    }

    private final String key;
    private final String wakePrefix;
    private final boolean shared;
    private final boolean grantable;
    private final Questions questions;
    private final GrantDesk desk;
    private final ClientParts parts;

    private volatile @Nullable Turn turn;
    private CompletableFuture<Answer> lastAnswer = CompletableFuture.completedFuture(null);
    private Runnable onSignal = () -> {};
    private @Nullable Subscription foreign;

    LinePlace(String key, RedisKind kind, Questions questions, GrantDesk desk, ClientParts parts) {
        this.key = key;
        this.wakePrefix = kind.protocol().wakePrefix(key);
        this.shared = kind.isShared();
        this.grantable = kind.isGrantable() && parts.settings().minReplicas() == 0;
        this.questions = questions;
        this.desk = desk;
        this.parts = parts;
    }

    @Override
    public void open(Runnable signal) {
        onSignal = signal;
    }

    @Override
    public CompletionStage<Answer> ask(Waiter waiter) {
        Turn present = turn;
        Turn asked = present == null ? newTurn(waiter.terms()) : present;
        turn = asked;
        asked.heard = waiter.waits() && parts.messages().hear(wakePrefix, asked.owner, asked::message);
        lastAnswer = questions.ask(asked.owner, waiter, waiter.waits(), asked).thenApply(answer -> {
            if (answer instanceof Answer.Granted) {
                asked.end();
            }
            return answer;
        });
        return lastAnswer;
    }

    @Override
    public CompletionStage<Answer> askAside(Waiter waiter) {
        Turn aside = newTurn(waiter.terms());
        CompletableFuture<Answer> answer = questions.ask(aside.owner, waiter, false, aside);
        parts.releases()
                .expect(answer.thenCompose(known ->
                        known instanceof Answer.Granted ? CompletableFuture.completedFuture(null) : aside.leave()));
        return answer;
    }

    private Turn newTurn(LeaseTerms terms) {
        // What must be replicated, or is several locks at once, cannot be granted by a release: its place is told to
        // ask.
        long firstLease = grantable ? Math.min(FIRST_LEASE_MILLIS, terms.leaseMillis()) : 0;
        return new Turn(parts.owners().next(terms.thread(), firstLease), firstLease);
    }

    @Override
    public Optional<Grant> takeGrant() {
        Turn granted = turn;
        if (granted == null || FencingTokens.drawn(granted.grantedToken) <= granted.lastDrawn) {
            return Optional.empty();
        }
        long lease = TimeUnit.MILLISECONDS.toNanos(granted.firstLeaseMillis);
        long now = parts.ticker().now();
        if (granted.refusedAt + lease - lease / LEAST_SHARE - now < 0) {
            return Optional.empty();
        }
        granted.end();
        return Optional.of(desk.grantByRelease(granted.owner, granted.grantedToken, granted.refusedAt, lease, now));
    }

    @Override
    public boolean isShared() {
        return shared;
    }

    @Override
    public boolean isInLine() {
        Turn present = turn;
        return present != null && present.known;
    }

    @Override
    public @Nullable CompletionStage<Void> listen(Answer.Busy refusal) {
        Turn present = turn;
        String holder = refusal.holder();
        boolean isForeign = holder != null && !OwnerIds.isOurs(holder);
        if (!isForeign) {
            close();
        } else if (foreign == null && present != null && refusal.nearHead()) {
            String lock = refusal.which() == null ? key : refusal.which();
            foreign = parts.gateway()
                    .signals()
                    .subscribe(desk.protocol().channel(lock, present.owner), message -> onSignal.run());
            return foreign.ready();
        }
        return present == null || present.heard
                ? null
                : parts.messages().listen(wakePrefix, present.owner, present::message);
    }

    @Override
    public boolean isListening() {
        return foreign != null;
    }

    /** What is on its way is awaited: sent twice, it may overtake the release. */
    @Override
    public void leaveLine() {
        Turn left = turn;
        if (left == null) {
            return;
        }
        turn = null;
        parts.messages().forget(wakePrefix, left.owner);
        if (kind() == LockKind.FAIR) {
            close();
        }
        if (left.known || !lastAnswer.isDone()) {
            parts.releases().expect(lastAnswer.thenCompose(answer -> left.leave()));
        }
    }

    @Override
    public void close() {
        if (foreign != null) {
            foreign.cancel();
            foreign = null;
        }
    }

    @Override
    public String lockName() {
        return desk.lockName();
    }

    @Override
    public LockKind kind() {
        return desk.kind();
    }

    @Override
    public CompletionStage<Boolean> fit(Grant grant, LeaseTerms terms) {
        return desk.fit(grant, terms);
    }

    @Override
    public HeldLease hold(Grant grant, Waiter waiter, boolean passedOn) {
        return desk.hold(grant, waiter, passedOn);
    }

    @Override
    public void giveBack(Grant grant) {
        desk.giveBack(grant);
    }

    @Override
    public RuntimeException closed() {
        return RedisFailures.closed(lockName());
    }
}
