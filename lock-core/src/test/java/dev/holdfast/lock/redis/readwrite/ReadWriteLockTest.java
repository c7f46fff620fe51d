package dev.holdfast.lock.redis.readwrite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.HeldLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LeaseReadWriteLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.redis.fixture.Actor;
import dev.holdfast.lock.redis.fixture.ReadWriteStage;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Many readers or one writer, and what a thread may do that is both. */
// Drops results on purpose, mostly of calls that must fail.
@SuppressWarnings("CheckReturnValue")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReadWriteLockTest {

    private final ReadWriteStage stage = new ReadWriteStage();
    private final Actor other = new Actor();

    @AfterEach
    void close() {
        other.close();
        stage.close();
    }

    @Test
    void readersOfAllClientsShareIt() throws Exception {
        stage.readHere().lock();

        assertThat(other.does(() -> stage.readHere().tryLock())).isTrue();
        assertThat(stage.readThere().tryLock()).isTrue();

        stage.readThere().unlock();
        other.runs(() -> stage.readHere().unlock());
        stage.readHere().unlock();
        assertThat(stage.keys()).isEmpty();
    }

    @Test
    void writerKeepsEverybodyElseOut() throws Exception {
        stage.writeHere().lock();

        assertThat(other.does(() -> stage.readHere().tryLock())).isFalse();
        assertThat(other.does(() -> stage.writeHere().tryLock())).isFalse();
        assertThat(stage.readThere().tryLock()).isFalse();
        assertThat(stage.writeThere().tryLock()).isFalse();

        stage.writeHere().unlock();
        assertThat(stage.keys()).isEmpty();
        assertThat(stage.writeThere().tryLock()).isTrue();
        stage.writeThere().unlock();
    }

    @Test
    void writerIsKeptOutUntilTheLastReaderHasLeft() throws Exception {
        stage.readHere().lock();
        other.runs(() -> stage.readThere().lock());

        stage.readHere().unlock();
        assertThat(stage.writeHere().tryLock()).isFalse();
        other.runs(() -> stage.readThere().unlock());

        assertThat(stage.writeHere().tryLock()).isTrue();
        stage.writeHere().unlock();
    }

    @Test
    void writerMayReadAsWellAndKeepsEverybodyElseOut() throws Exception {
        stage.writeHere().lock();

        assertThat(stage.readHere().tryLock()).isTrue();

        assertThat(other.does(() -> stage.readHere().tryLock())).isFalse();
        assertThat(stage.readThere().tryLock()).isFalse();
        stage.readHere().unlock();
        assertThat(stage.readThere().tryLock()).isFalse();
        stage.writeHere().unlock();
        assertThat(stage.keys()).isEmpty();
    }

    @Test
    void writersOwnReadWaitsForNoReaderOfItsClient() throws Exception {
        stage.writeHere().lock();
        var waiting = stage.waits(other, stage.here, LockKind.READ);

        // Behind the other it would wait for one that waits for it.
        assertThat(stage.readHere().tryLock(ReadWriteStage.PATIENCE)).isTrue();

        assertThat(waiting).isNotDone();
        stage.readHere().unlock();
        stage.writeHere().unlock();
        assertThat(Actor.outcome(waiting)).isTrue();
        other.runs(() -> stage.readHere().unlock());
    }

    @Test
    void writerThatUnlocksGoesOnAsAReader() {
        stage.writeHere().lock();
        stage.readHere().lock();

        stage.writeHere().unlock();

        assertThat(stage.readHere().isHeldByCurrentThread()).isTrue();
        assertThat(stage.writeThere().tryLock()).isFalse();
        assertThat(stage.readThere().tryLock()).isTrue();
        stage.readThere().unlock();
        stage.readHere().unlock();
        assertThat(stage.keys()).isEmpty();
    }

    /** A value may be handed to anybody, so nothing would stop its holder when the writer passes the lock on. */
    @Test
    void leaseAsAValueIsNotReadBesideItsThreadsWrite() {
        stage.writeHere().lock();
        AcquireOptions once = AcquireOptions.defaults().waitAtMost(Duration.ZERO);

        assertThat(stage.readHere().tryAcquire(once)).isEmpty();
        assertThat(stage.readHere().tryAcquire(once.boundTo(Thread.currentThread())))
                .isEmpty();

        stage.writeHere().unlock();
    }

    @ParameterizedTest
    @EnumSource(
            value = LockKind.class,
            names = {"READ", "WRITE"})
    void waitingReadersComeInAtOnceWhenAWriterGoesOnAsAReader(LockKind first) throws Exception {
        try (Actor third = new Actor()) {
            stage.writeHere().lock();
            stage.readHere().lock();
            var sameClient = stage.waits(other, stage.here, LockKind.READ);
            var otherClient = stage.waits(third, stage.there, LockKind.READ);
            long unlocked = System.nanoTime();

            (first == LockKind.WRITE ? stage.writeHere() : stage.readHere()).unlock();
            (first == LockKind.WRITE ? stage.readHere() : stage.writeHere()).unlock();

            assertThat(Actor.outcome(sameClient)).isTrue();
            assertThat(Actor.outcome(otherClient)).isTrue();
            assertThat(Waits.millisSince(unlocked)).isLessThan(Waits.SOON_MILLIS);
            other.runs(() -> stage.readHere().unlock());
            third.runs(() -> stage.readThere().unlock());
        }
    }

    @Test
    void readersComeInBesideAWriterThatGoesOnReading() throws Exception {
        stage.writeHere().lock();
        stage.readHere().lock();
        var waiting = stage.waits(other, stage.there, LockKind.READ);
        long unlocked = System.nanoTime();

        stage.writeHere().unlock();

        assertThat(Actor.outcome(waiting)).isTrue();
        assertThat(Waits.millisSince(unlocked)).isLessThan(Waits.SOON_MILLIS);
        assertThat(stage.readHere().isHeldByCurrentThread()).isTrue();
        stage.readHere().unlock();
        other.runs(() -> stage.readThere().unlock());
    }

    @Test
    void readerThatAsksToWriteIsRefusedAtOnce() {
        stage.readHere().lock();

        List<Actor.Deed> forms = List.of(
                () -> stage.writeHere().lock(),
                () -> stage.writeHere().lock(Duration.ofSeconds(1)),
                () -> stage.writeHere().lockInterruptibly(),
                () -> stage.writeHere().tryLock(1, TimeUnit.MINUTES),
                () -> stage.writeHere().tryLock(Duration.ofMinutes(1)),
                () -> stage.writeHere().tryLock(Duration.ofMinutes(1), Duration.ofSeconds(1)));

        assertThat(forms)
                .allSatisfy(form -> assertThatThrownBy(form::run)
                        .isInstanceOf(IllegalMonitorStateException.class)
                        .hasMessageContaining(stage.name)
                        .hasMessageContaining("unlock the read lock first"));
        assertThat(stage.writeHere().tryLock()).isFalse();
        stage.readHere().unlock();
        assertThat(stage.writeHere().tryLock()).isTrue();
        stage.writeHere().unlock();
    }

    @Test
    void bothSidesReenter() {
        LeaseReadWriteLock lock = stage.here.getReadWriteLock(stage.name);
        lock.writeLock().lock();
        lock.writeLock().lock();
        lock.readLock().lock();
        lock.readLock().lock();
        lock.writeLock().lock();

        assertThat(lock.writeLock().holdCount()).isEqualTo(3);
        assertThat(lock.readLock().holdCount()).isEqualTo(2);

        for (int i = 0; i < 3; i++) {
            lock.writeLock().unlock();
        }
        lock.readLock().unlock();
        lock.readLock().unlock();
        assertThat(stage.keys()).isEmpty();
    }

    @Test
    void tokensGrowOverBothSides() throws Exception {
        List<Long> tokens = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            try (Lease write = stage.writeHere().acquire()) {
                tokens.add(write.fencingToken());
            }
            try (Lease read = stage.readHere().acquire();
                    Lease beside = stage.readThere().acquire()) {
                tokens.add(read.fencingToken());
                tokens.add(beside.fencingToken());
            }
        }
        assertThat(tokens).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void eachReaderHasALeaseOfItsOwn() {
        Duration lease = Duration.ofMillis(700);
        LockClient brief = stage.client().watchdogTimeout(ReadWriteStage.BRIEF).build();
        Lease renewed = brief.getLock(stage.name, LockKind.READ).acquire();
        long taken = System.nanoTime();
        Lease fixed = stage.readThere().acquire(AcquireOptions.defaults().lease(lease));

        Await.until("the fixed lease is over", lease.multipliedBy(3), () -> !fixed.isHeld());
        assertThat(Waits.millisSince(taken)).isGreaterThan(lease.toMillis() * 9 / 10);
        Await.until("Redis says so too", ReadWriteStage.PATIENCE, () -> readers() == 1);
        // Longer than its lease: only renewals can have kept it.
        Await.until(
                "the other was renewed",
                ReadWriteStage.PATIENCE,
                () -> Waits.millisSince(taken) > ReadWriteStage.BRIEF.toMillis() + 300);

        assertThat(renewed.verify()).isTrue();
        assertThat(stage.writeThere().tryLock()).isFalse();
        renewed.close();
        brief.close();
        assertThat(stage.writeThere().tryLock()).isTrue();
        stage.writeThere().unlock();
    }

    private int readers() {
        return stage.here
                .inspect(stage.name)
                .map(state -> state.holders().size())
                .orElse(0);
    }

    @Test
    void extensionOfOneReaderIsNoneOfTheOthers() {
        Duration lease = Duration.ofSeconds(1);
        Lease shorter = stage.readHere().acquire(AcquireOptions.defaults().lease(lease));
        Lease longer = stage.readThere().acquire(AcquireOptions.defaults().lease(lease));

        longer.extend(Duration.ofSeconds(30));

        assertThat(shorter.remaining()).isLessThan(lease);
        assertThat(longer.remaining()).isGreaterThan(Duration.ofSeconds(20));
        assertThat(stage.server.cli().pttl(stage.name)).isGreaterThan(20_000);
        longer.close();
        assertThat(stage.server.cli().pttl(stage.name)).isLessThanOrEqualTo(1_000);
        shorter.close();
    }

    @Test
    void inspectionShowsAllReadersWithTheirTokens() {
        try (Lease one = stage.readHere().acquire();
                Lease two = stage.readThere().acquire()) {
            LockState state = stage.here.inspect(stage.name).orElseThrow();

            assertThat(state.kind()).isEqualTo(LockKind.READ);
            assertThat(state.holders())
                    .extracting(holder -> holder.fencingToken().orElse(0))
                    .containsExactlyInAnyOrder(one.fencingToken(), two.fencingToken());
            assertThat(state.holders())
                    .allSatisfy(holder -> assertThat(holder.thread())
                            .hasValue(Thread.currentThread().getId()));
        }
    }

    @Test
    void inspectionShowsTheWriter() {
        try (Lease write = stage.writeHere().acquire()) {
            LockState state = stage.there.inspect(stage.name).orElseThrow();

            assertThat(state.kind()).isEqualTo(LockKind.WRITE);
            assertThat(state.holders()).singleElement().satisfies(holder -> {
                assertThat(holder.owner()).doesNotEndWith(":write");
                assertThat(holder.fencingToken()).hasValue(write.fencingToken());
            });
            assertThat(stage.here.heldLocks())
                    .singleElement()
                    .extracting(HeldLock::kind)
                    .isEqualTo(LockKind.WRITE);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = LockKind.class,
            names = {"READ", "WRITE"})
    void forcedReleaseLeavesNothingAndLetsAWaiterIn(LockKind kind) throws Exception {
        Lease held = stage.here.getLock(stage.name, kind).acquire();
        CompletableFuture<LeaseLoss> lost = new CompletableFuture<>();
        held.onLost(lost::complete);
        var waiting = stage.waits(other, stage.there, LockKind.WRITE);
        long forced = System.nanoTime();

        assertThat(stage.there.forceRelease(stage.name)).isTrue();

        assertThat(Actor.outcome(waiting)).isTrue();
        assertThat(Waits.millisSince(forced)).isLessThan(Waits.SOON_MILLIS);
        assertThat(held.verify()).isFalse();
        assertThat(Actor.outcome(lost).cause()).isEqualTo(LossCause.GONE);
        other.runs(() -> stage.writeThere().unlock());
        stage.awaitNothingLeft();
    }

    @ParameterizedTest
    @EnumSource(
            value = LockKind.class,
            names = {"READ", "WRITE"})
    void holderIsToldWhenItsKeyIsGone(LockKind kind) throws Exception {
        try (LockClient brief =
                stage.client().watchdogTimeout(ReadWriteStage.BRIEF).build()) {
            Lease held = brief.getLock(stage.name, kind).acquire();
            CompletableFuture<LeaseLoss> lost = new CompletableFuture<>();
            held.onLost(lost::complete);

            stage.server.cli().del(stage.name);

            assertThat(Actor.outcome(lost).cause()).isEqualTo(LossCause.GONE);
            assertThat(held.isHeld()).isFalse();
        }
    }

    @Test
    void minimumHoldOfAReaderKeepsWritersOutAndReadersNot() {
        Duration least = Duration.ofMillis(900);
        long began = System.nanoTime();
        stage.readHere().acquire(AcquireOptions.defaults().minHold(least)).close();

        assertThat(stage.writeThere().tryLock()).isFalse();
        assertThat(stage.readThere().tryLock()).isTrue();
        stage.readThere().unlock();
        stage.writeThere()
                .acquire(AcquireOptions.defaults().waitAtMost(ReadWriteStage.PATIENCE))
                .close();

        assertThat(Waits.millisSince(began)).isBetween(least.toMillis() - 5, Waits.SOON_MILLIS);
    }

    @ParameterizedTest
    @EnumSource(
            value = LockKind.class,
            names = {"READ", "WRITE"})
    void nameThatIsHeldAsAnotherKindIsRefusedWithBothKinds(LockKind kind) {
        try (Lease plain = stage.here.getLock(stage.name).acquire()) {
            assertRefused(kind, "held as a plain (re-entrant) lock, asked for as a read/write lock");
            assertThat(plain.verify()).isTrue();
        }
        try (Lease fair = stage.here.getLock(stage.name, LockKind.FAIR).acquire()) {
            assertRefused(kind, "held as a fair lock, asked for as a read/write lock");
            assertThat(fair.verify()).isTrue();
        }
        try (Lease side = stage.here.getLock(stage.name, kind).acquire()) {
            assertRefused(LockKind.REENTRANT, "held as a read/write lock, asked for as a plain (re-entrant) one");
            assertRefused(LockKind.FAIR, "held as a read/write lock, asked for as a fair one");
            assertThat(side.verify()).isTrue();
        }
    }

    private void assertRefused(LockKind kind, String why) {
        assertThatThrownBy(() -> stage.there.getLock(stage.name, kind).tryLock())
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining(why);
    }

    @Test
    void closedClientLeavesNothingOfEitherSide() {
        stage.readHere().acquire();
        stage.readHere().lock();
        stage.here.close();

        assertThat(stage.keys()).isEmpty();
        assertThat(stage.writeThere().tryLock()).isTrue();
        stage.there.close();
        assertThat(stage.keys()).isEmpty();
    }
}
