package dev.holdfast.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each rule has a history that it rejects, and one beside it that it accepts. Times are milliseconds. */
class CheckerTest {

    private static final String LOCK = "lock";

    private final List<Attempt> attempts = new ArrayList<>();
    private final List<Write> writes = new ArrayList<>();
    private final List<Outage> outages = new ArrayList<>();
    private final List<Outage> stalls = new ArrayList<>();

    private static long ms(long millis) {
        return (1_000 + millis) * 1_000_000;
    }

    private Attempt asked(int worker, Use use, long at, long wait) {
        Attempt attempt = new Attempt(worker, attempts.size() + 1, use, List.of(LOCK), wait * 1_000_000, ms(at));
        attempts.add(attempt);
        return attempt;
    }

    /** Asked, granted, held to just before the release, released. */
    private Attempt held(int worker, Use use, long token, long asked, long from, long until) {
        Attempt attempt = asked(worker, use, asked, 400);
        attempt.answeredAt = ms(from);
        attempt.token = token;
        attempt.heldAt = ms(until) - 1;
        attempt.releaseAt = ms(until);
        attempt.releasedAt = ms(until) + 1;
        attempt.ending = Ending.RELEASED;
        return attempt;
    }

    private Attempt held(long token, long asked, long from, long until) {
        return held(0, Use.PLAIN, token, asked, from, until);
    }

    private Attempt refused(int worker, long asked, long answered, long wait) {
        Attempt attempt = asked(worker, Use.PLAIN, asked, wait);
        attempt.answeredAt = ms(answered);
        attempt.ending = Ending.BUSY;
        return attempt;
    }

    private void write(Attempt by, boolean accepted) {
        writes.add(new Write(LOCK, by, by.token, by.heldAt, accepted));
    }

    private Findings check(Terms terms) {
        return Checker.check(new History(attempts, writes, outages, stalls), terms, 3);
    }

    private void assertBroken(Rule... expected) {
        Findings findings = check(Terms.dataIsKept());
        assertThat(Arrays.stream(Rule.values()).filter(rule -> findings.count(rule) > 0))
                .as("%s", findings.examples())
                .containsExactly(expected);
    }

    @Test
    void acceptsHoldersOneAfterTheOther() {
        write(held(10, 0, 5, 10), true);
        write(held(11, 2, 11, 15), true);
        refused(1, 2, 402, 400);
        assertBroken();
    }

    @Test
    void rejectsATokenThatIsGivenTwice() {
        held(10, 0, 5, 10);
        held(10, 2, 11, 15);
        assertBroken(Rule.TOKEN_ONCE);
    }

    @Test
    void rejectsASmallerTokenForOneWhoAskedLater() {
        held(10, 0, 5, 10);
        held(9, 6, 11, 15);
        assertBroken(Rule.TOKENS_GROW);
    }

    @Test
    void acceptsASmallerTokenForOneWhoAskedBefore() {
        held(10, 0, 5, 10);
        held(9, 4, 11, 15);
        assertBroken();
    }

    @Test
    void toleratesASmallerTokenForAMomentWhereDataIsLost() {
        held(10, 0, 5, 10);
        held(9, 6, 11, 15);
        assertThat(check(Terms.dataIsLost(Terms.LEASE)).count(Rule.TOKENS_GROW)).isZero();
        held(8, 40, 50, 60);
        assertThat(check(Terms.dataIsLost(Terms.LEASE)).count(Rule.TOKENS_GROW)).isOne();
    }

    @Test
    void rejectsAnAcceptedStaleWrite() {
        Attempt late = held(10, 0, 5, 10);
        Attempt next = held(11, 2, 11, 15);
        write(next, true);
        write(late, true);
        assertBroken(Rule.STALE_ACCEPTED);
    }

    @Test
    void acceptsARefusedStaleWrite() {
        Attempt late = held(10, 0, 5, 10);
        Attempt next = held(11, 2, 11, 15);
        write(next, true);
        write(late, false);
        assertBroken();
    }

    @Test
    void rejectsARefusalForAGrantThatWasBeforeTheQuestion() {
        Attempt first = held(10, 0, 5, 10);
        Attempt second = held(9, 6, 11, 15);
        write(first, true);
        write(second, false);
        assertBroken(Rule.TOKENS_GROW, Rule.RIGHTFUL_REFUSED);
    }

    @Test
    void rejectsTheRefusalOfTheGreatestToken() {
        write(held(10, 0, 5, 10), false);
        assertBroken(Rule.RIGHTFUL_REFUSED);
    }

    static Stream<Arguments> neighbors() {
        return Stream.of(
                Arguments.of(Use.PLAIN, Use.PLAIN, true),
                Arguments.of(Use.WRITE, Use.READ, true),
                Arguments.of(Use.READ, Use.WRITE, true),
                Arguments.of(Use.READ, Use.READ, false));
    }

    @ParameterizedTest
    @MethodSource("neighbors")
    void rejectsTwoHoldersUnlessBothRead(Use first, Use second, boolean broken) {
        held(0, first, 10, 0, 5, 20);
        held(1, second, 11, 2, 19, 30);
        assertBroken(broken ? new Rule[] {Rule.ONE_HOLDER} : new Rule[0]);
    }

    @Test
    void findsAWriterInsideALongReaderBehindAShortOne() {
        held(0, Use.READ, 10, 0, 5, 50);
        held(1, Use.READ, 11, 0, 6, 10);
        held(2, Use.WRITE, 12, 0, 20, 30);
        assertBroken(Rule.ONE_HOLDER);
    }

    @Test
    void countsOnlyMomentsInWhichTheHolderBelievedToHoldIt() {
        Attempt overtaken = held(10, 0, 5, 1_500);
        overtaken.heldAt = ms(400);
        overtaken.goneAt = ms(1_499);
        overtaken.ending = Ending.LOST;
        overtaken.lostAt.add(ms(1_499));
        held(11, 2, 1_401, 1_450);
        assertBroken();
    }

    private Attempt lost(long... reports) {
        Attempt attempt = held(10, 0, 5, 100);
        attempt.ending = Ending.LOST;
        attempt.goneAt = ms(99);
        for (long report : reports) {
            attempt.lostAt.add(ms(report));
        }
        return attempt;
    }

    @Test
    void rejectsALossThatNobodyReports() {
        lost();
        assertBroken(Rule.LOSS_ONCE);
    }

    @Test
    void rejectsALossThatIsReportedTwice() {
        lost(99, 100);
        assertBroken(Rule.LOSS_ONCE);
    }

    @Test
    void rejectsTheLossOfWhatWasReleased() {
        held(10, 0, 5, 100).lostAt.add(ms(100));
        assertBroken(Rule.LOSS_ONCE);
    }

    @Test
    void acceptsALossThatALateAnswerToAReleaseReportsOnlyWhereDataIsLost() {
        Attempt attempt = held(10, 0, 5, 100);
        attempt.releasedAt = ms(100) + Terms.COMMAND_TIMEOUT.toNanos();
        attempt.lostAt.add(ms(700));
        assertThat(check(Terms.dataIsLost(Terms.LEASE)).count(Rule.LOSS_ONCE)).isZero();
        assertBroken(Rule.LOSS_ONCE);
        attempt.lostAt.add(ms(701));
        assertThat(check(Terms.dataIsLost(Terms.LEASE)).count(Rule.LOSS_ONCE)).isOne();
    }

    @Test
    void rejectsALateReportOfALoss() {
        lost(700);
        assertBroken(Rule.LOSS_IN_TIME);
    }

    @Test
    void excusesAReportThatIsLateBecauseTheProcessWasStopped() {
        lost(1_700);
        outages.add(new Outage(Outage.STOPPED, 0, ms(100), ms(1_600)));
        assertBroken();
    }

    @Test
    void rejectsAFreeLockThatNobodyGetsThoughSomebodyWaits() {
        refused(0, 0, 1, 1);
        held(1, Use.PLAIN, 10, 0, 5, 10);
        refused(0, 10, 5_010, 5_000);
        assertBroken(Rule.FREE_LOCK_GRANTED);
    }

    @Test
    void seesAFreeLockBehindWaitersWhoComeAndGo() {
        held(1, Use.PLAIN, 10, 0, 5, 10);
        IntStream.range(0, 50).forEach(i -> refused(0, 10 + i * 100, 110 + i * 100, 100));
        assertBroken(Rule.FREE_LOCK_GRANTED);
    }

    @Test
    void acceptsALockThatIsHeldWhileOthersWait() {
        held(1, Use.PLAIN, 10, 0, 5, 5_010);
        refused(0, 10, 5_010, 5_000);
        assertBroken();
    }

    @Test
    void acceptsAFreeLockThatNobodyCanReach() {
        held(1, Use.PLAIN, 10, 0, 5, 10);
        refused(0, 10, 5_010, 5_000);
        outages.add(new Outage("black hole", 0, ms(10), ms(4_000)));
        assertBroken();
    }

    /** A lock that is stuck for good does not hide behind faults that cut nobody off. */
    @Test
    void rejectsAFreeLockThatNobodyGetsWhileRedisForgetsScripts() {
        refused(0, 0, 1, 1);
        held(1, Use.PLAIN, 10, 0, 5, 10);
        refused(0, 10, 5_010, 5_000);
        IntStream.range(0, 20)
                .forEach(
                        i -> outages.add(new Outage("forget scripts", Outage.ALL, ms(10 + i * 250), ms(10 + i * 250))));
        assertBroken(Rule.FREE_LOCK_GRANTED);
    }

    @Test
    void rejectsAFreeLockThatNobodyGetsOnABusyMachine() {
        refused(0, 0, 1, 1);
        held(1, Use.PLAIN, 10, 0, 5, 10);
        refused(0, 10, 5_010, 5_000);
        IntStream.range(0, 20).forEach(i -> stalls.add(new Outage("stall", 0, ms(10 + i * 250), ms(40 + i * 250))));
        assertBroken(Rule.FREE_LOCK_GRANTED);
    }

    @Test
    void acceptsThatADeadHoldersLeaseRunsOut() {
        Attempt dead = held(1, Use.PLAIN, 10, 0, 5, 10);
        dead.ending = Ending.UNKNOWN;
        outages.add(new Outage("kill a worker", 1, ms(2_000), ms(2_000)));
        refused(0, 10, 3_010, 3_000);
        assertBroken();
    }

    @Test
    void rejectsAWaitThatDoesNotEnd() {
        held(10, 0, 5, 3_000);
        refused(0, 6, 2_006, 400);
        assertBroken(Rule.WAIT_ENDS);
    }

    @Test
    void excusesAWaitThatEndsLateBecauseTheMachineDidNotRunTheProcess() {
        held(10, 0, 5, 3_000);
        refused(0, 6, 2_006, 400);
        stalls.add(new Outage("stall", 0, ms(300), ms(1_900)));
        assertBroken();
    }

    @Test
    void excusesAWaitThatEndsLateByManyShortStalls() {
        held(10, 0, 5, 3_000);
        refused(0, 6, 2_006, 400);
        IntStream.range(0, 40).forEach(i -> stalls.add(new Outage("stall", 0, ms(10 + i * 40), ms(35 + i * 40))));
        assertBroken();
    }

    /** A correct lock, simulated, with up to one token lost now and then: nothing is rejected, in whatever order the history comes. */
    private void assertThatACorrectLockIsAccepted(long seed) {
        Random random = new Random(seed);
        long now = 0;
        for (int i = 0; i < 500; i++) {
            long asked = now - random.nextInt(50);
            long from = Math.max(asked, now) + random.nextInt(5);
            now = from + 1 + random.nextInt(20);
            Attempt attempt = held(random.nextInt(3), Use.PLAIN, 1_000 + i * 3L + random.nextInt(3), asked, from, now);
            write(attempt, true);
        }
        java.util.Collections.shuffle(attempts, random);
        assertBroken();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void findsOneFaultAmongManyGrantsOfACorrectLock(long seed) {
        assertThatACorrectLockIsAccepted(seed);
        Attempt any = attempts.get(new Random(seed).nextInt(attempts.size()));
        held(any.token, any.askedAt / 1_000_000 - 1_000, any.heldAt / 1_000_000 - 1_000, any.heldAt / 1_000_000 - 999);
        Findings findings = check(Terms.dataIsKept());
        assertThat(findings.count(Rule.TOKEN_ONCE)).isOne();
    }

    static Stream<Long> seeds() {
        return IntStream.range(0, 20).mapToObj(seed -> (long) seed);
    }
}
