package dev.holdfast.lock.simulation;

import java.util.List;

/** Faults of the engine: those that were found and repaired before, put back in, and others of their kind. */
public final class EngineMutants {

    private EngineMutants() {}

    /** Loads the product and the simulation with a mutant, and calls a public method with texts of a class that is loaded with it. */
    public static String call(String mutant, Class<?> type, String method, String... args) {
        Mutant changed = ALL.stream()
                .filter(one -> one.name().equals(mutant))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("There is no mutant '" + mutant + "'"));
        return new MutantLoader(changed).call(type, method, args);
    }

    private static final String ROOM = "internal/waiting/WaitingRoom.java";
    private static final String PLACE = "internal/engine/QueuePlace.java";

    static final List<Mutant> ALL = List.of(
            new Mutant(
                    "a lease counts without an allowance for drift, and from its answer",
                    "internal/lease/Grant.java",
                    "        if (now - validUntil >= 0) {\n            return false;\n        }\n        confirmedAt",
                    "        sentAt = now + confirmedNanos;\n        confirmedAt"),
            new Mutant(
                    "a request to stop reaches the next holder of the grant",
                    "internal/lease/Grant.java",
                    "        return asked && (",
                    "        return asked && (true || ",
                    Focus.STOPS),
            new Mutant(
                    "a renewal counts from its answer",
                    "internal/lease/HeldLease.java",
                    "        grant.confirm(sentAt, leaseNanos, now());",
                    "        grant.confirm(now(), leaseNanos, now());",
                    Focus.LATE_RENEWALS),
            new Mutant(
                    "a lease that was granted by a release counts from its message",
                    "internal/lease/Grant.java",
                    "tokens, now, refusedAt, leaseNanos);",
                    "tokens, now, now, leaseNanos * 2);"),
            new Mutant(
                    "a grant that is older than the last refusal is used",
                    PLACE,
                    "FencingTokens.drawn(token) <= lastDrawn || session.releases.isClosing()",
                    "session.releases.isClosing()"),
            new Mutant(
                    "a grant that arrives after its end is used",
                    PLACE,
                    "            if (grant.validUntil() - session.settings.ticker().now() <= 0) {",
                    "            if (false) {",
                    Focus.LATE_ANSWERS),
            new Mutant(
                    "a place that was entered is forgotten",
                    PLACE,
                    "                lastDrawn = busy.lastDrawn();\n                mayBeInRedis = true;\n",
                    "                lastDrawn = busy.lastDrawn();\n"),
            new Mutant(
                    "an acquisition of unknown outcome is not taken back",
                    PLACE,
                    "            if (failure.isOutcomeUnknown()) {\n                mayBeInRedis = true;",
                    "            if (failure.isOutcomeUnknown()) {",
                    Focus.CUTS),
            new Mutant(
                    "a release without an answer is not repeated",
                    "internal/engine/PendingReleases.java",
                    "            timer.after(pause, this::send);\n",
                    "            end(true);\n"),
            new Mutant(
                    "the alarm is planned anew at each departure",
                    "internal/waiting/WaitingRoom.java",
                    "            sleepUntil(nextRequestAt());",
                    "            nextRequestAt();\n            stopAlarm();\n            sleepUntil(rooms.ticker.now() + rooms.schedule.pollNanos());",
                    Focus.EXPIRIES),
            new Mutant(
                    "the room forgets a message that comes while it asks",
                    "internal/waiting/WaitingRoom.java",
                    "        postAhead(() -> wakeUp(this::takeGrantOrAsk));",
                    "        postAhead(() -> {\n            if (!phase.isRequesting()) {\n                wakeUp(this::takeGrantOrAsk);\n            }\n        });"),
            new Mutant(
                    "a room does not poll",
                    "internal/waiting/PollSchedule.java",
                    "        return Math.min(busy.retryAfterNanos(), longest) + A_MILLISECOND;",
                    "        return Math.max(busy.retryAfterNanos(), 100 * longest) + A_MILLISECOND;"),
            new Mutant(
                    "a holder that gets a lock from another has its token",
                    "internal/lease/Grant.java",
                    "        return firstToken + taken++;",
                    "        return firstToken;"),
            new Mutant(
                    "a lock is handed over after its lease",
                    "internal/engine/HandOver.java",
                    "                : wanted - wanted / 20 - 1;\n        return terms.minHoldNanos() == 0 && left(grant) > least;",
                    "                : wanted - wanted / 20 - 1;\n        return least > 0;"),
            new Mutant(
                    "a minimum hold is handed over",
                    "internal/engine/HandOver.java",
                    "released.minHoldEnd() - now <= 0 && ",
                    ""),
            new Mutant(
                    "a lost lease is lost again at its release",
                    "internal/lease/HeldLease.java",
                    "        if (!wasOwner && grant.validUntil() - now() > 0) {",
                    "        if (wasOwner && grant.validUntil() - now() > 0) {"),
            new Mutant(
                    "a lease that is over is not reported",
                    "internal/lease/LeaseTable.java",
                    "        ends.remove(lease);\n        lease.loseIfOver();\n        if (lease.isLive()) {",
                    "        ends.remove(lease);\n        if (lease.isLive() && lease.remainingNanos() > 0) {"),
            new Mutant(
                    "a deadline is not kept",
                    "internal/waiting/WaitingRoom.java",
                    "            } else if (waiters.unlink(waiter)) {\n                refuse(waiter, lastAnswer());",
                    "            } else if (false) {\n                refuse(waiter, lastAnswer());"),
            new Mutant(
                    "a grant is used although it is too short",
                    "internal/engine/HandOver.java",
                    " && isLongEnough(grant, terms);",
                    ";"),
            new Mutant(
                    "a room asks for readers together only once",
                    ROOM,
                    "            phase = Phase.ASKING_FOR_ALL;\n            unanswered = asking.size();",
                    "            phase = Phase.ASKING_FOR_ALL;\n            unanswered = asking.size() + 1;"),
            new Mutant(
                    "a room whose Redis does not answer asks no more",
                    "internal/waiting/PollSchedule.java",
                    "FIRST_BACKOFF << Math.min(last.failures, MOST_DOUBLINGS));",
                    "FIRST_BACKOFF << Math.min(last.failures + 10, 4 * MOST_DOUBLINGS));"),
            new Mutant(
                    "after a grant that overtook an answer, nobody asks for the next waiter",
                    "internal/waiting/WaitingRoom.java",
                    "an alarm.\n            settle();",
                    "an alarm.",
                    Focus.PERMITS),
            new Mutant(
                    "a room without messages does not ask more often",
                    "internal/waiting/PollSchedule.java",
                    "        if (messages != Messages.ARRIVE) {",
                    "        if (false) {"),
            new Mutant(
                    "a closing client forgets releases that it kept back",
                    "internal/engine/PendingReleases.java",
                    "        if (closing.get()) {\n            begin(release);",
                    "        if (false) {\n            begin(release);"),
            new Mutant(
                    "a lock is handed over for long",
                    "internal/engine/HandOver.java",
                    "age(grant) < longestNanos(lock)\n",
                    "age(grant) < 100 * longestNanos(lock)\n"),
            new Mutant(
                    "a lock that has been lost is renewed",
                    "internal/lease/HeldLease.java",
                    "    public void gone() {\n        loseIfOver();\n        lose(LossCause.GONE);",
                    "    public void gone() {\n        loseIfOver();",
                    Focus.LOST_KEYS),
            new Mutant(
                    "a closing client waits for no answer",
                    "internal/engine/Session.java",
                    "waitFor(releases.allReleased(), retryEnd - background.nanoTime())",
                    "false",
                    Focus.CUT_CLOSINGS),
            new Mutant(
                    "a closing client refuses nobody",
                    "internal/engine/Session.java",
                    "        rooms.refuseEverybody();\n",
                    ""),
            new Mutant(
                    "a closing client keeps what is held",
                    "internal/engine/Session.java",
                    "        leases.held().forEach(lease -> lease.lose(LossCause.CLOSED));\n",
                    ""),
            new Mutant(
                    "a closing client leaves its timer",
                    "internal/engine/Session.java",
                    "            timer.close();\n",
                    ""),
            new Mutant(
                    "a composite lock counts its lost members",
                    "composite/CompositeLease.java",
                    "        if (!areEnough()) {\n            lose(lost);\n        }",
                    "        if (parts.isEmpty()) {\n            lose(lost);\n        }"),
            new Mutant(
                    "a composite lock keeps its other members if one is refused",
                    "composite/MultiLock.java",
                    "        MemberReleases back = MemberReleases.of(taken, 0);",
                    "        MemberReleases back = MemberReleases.of(List.of(), 0);"),
            new Mutant(
                    "a composite lock counts a member whose lease ended during the acquisition",
                    "composite/MultiLock.java",
                    "        } else if (taken.stream().allMatch(AbstractLease::isHeld)) {",
                    "        } else if (true) {"),
            new Mutant(
                    "each member of a composite lock is waited for as long as the whole",
                    "composite/CompositeAcquisition.java",
                    "partOptions().waitAtMost(Duration.ofNanos(longestNanos))",
                    "partOptions().waitAtMost(wait)"),
            new Mutant(
                    "a grant that was made for a much longer lease is used",
                    "internal/waiting/Waiter.java",
                    " && !terms.isTooLong(grant.leaseNanos());",
                    ";"),
            new Mutant(
                    "a quorum needs one server only",
                    "composite/QuorumAcquisition.java",
                    "if (held.size() >= lock.majority()) {",
                    "if (held.size() >= 1) {"),
            new Mutant(
                    "a quorum keeps a token that was chosen from a part which it gave back",
                    "composite/QuorumAcquisition.java",
                    "chosenFrom = List.copyOf(held.values());",
                    "chosenFrom = List.of();"),
            new Mutant(
                    "a quorum's token is not raised",
                    "composite/QuorumAcquisition.java",
                    "if (lease.fencingToken() >= token) {",
                    "if (lease.fencingToken() >= 0) {"),
            new Mutant(
                    "a lease that a release granted is not renewed early",
                    "internal/lease/LeaseTable.java",
                    "if (lease.isRenewed() && lease.isLive() && isShort(lease)) {",
                    "if (false) {",
                    Focus.LONG_HOLDS),
            new Mutant(
                    "a failed renewal is not repeated",
                    "internal/lease/LeaseTable.java",
                    "                round.failed.add(lease,",
                    "                if (false) round.failed.add(lease,",
                    Focus.SHORT_OUTAGES),
            new Mutant(
                    "who gives up while its request is under way is not taken back",
                    PLACE,
                    "state = before == State.ASKING ? State.GIVEN_UP : before;",
                    "state = before;",
                    Focus.CANCELS),
            new Mutant(
                    "a lost lease forgets its minimum hold",
                    "internal/engine/LockEngine.java",
                    "        if (rest == 0) {\n            free(lease.grant(), lease.minHoldEnd(), null);",
                    "        if (rest == 0) {\n            free(lease.grant(), now(), null);",
                    Focus.MIN_HOLDS),
            new Mutant(
                    "a lease that ran out forgets its minimum hold",
                    "internal/engine/LockEngine.java",
                    "releases.after(rest, () -> free(lease.grant(), lease.minHoldEnd(), null));",
                    "releases.after(rest, () -> free(lease.grant(), now(), null));",
                    Focus.MIN_HOLDS),
            new Mutant(
                    "a minimum hold ends with its holder",
                    "internal/lease/LeaseTerms.java",
                    "return Math.max(leaseMillis(), (minHoldNanos + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI);",
                    "return leaseMillis();",
                    Focus.MIN_HOLDS),
            new Mutant(
                    "a lease with a minimum hold is not kept for it after a release to the client",
                    "internal/engine/HandOver.java",
                    "return terms.minHoldNanos() == 0 && left(grant) > least;",
                    "return left(grant) > least;",
                    Focus.MIN_HOLDS),
            new Mutant(
                    "an extension does not move the end of its holder",
                    "internal/lease/HeldLease.java",
                    "limit(before -> before.notBefore(sentAt + nanos - nanos / 20));",
                    "limit(before -> before);",
                    Focus.LONG_HOLDS),
            new Mutant(
                    "a nested hold without a lease is not renewed",
                    "internal/lease/HeldLease.java",
                    "        renewed = true;\n        limit(",
                    "        limit(",
                    Focus.THREADS),
            new Mutant(
                    "a nested lease is not made longer",
                    "redis/RedisLock.java",
                    "            lease.extend(Duration.ofNanos(terms.leaseNanos()));\n",
                    "",
                    Focus.THREADS),
            new Mutant(
                    "the first unlock releases",
                    "internal/thread/ThreadLock.java",
                    "        if (left == 0) {\n            return hold.lease();",
                    "        if (left >= 0) {\n            return hold.lease();",
                    Focus.THREADS),
            new Mutant(
                    "a lost hold is entered again",
                    "internal/thread/ThreadHolds.java",
                    "            count += count > 0 ? 1 : 0;\n",
                    "",
                    Focus.THREADS),
            new Mutant(
                    "a writer that goes on reading hands its lock over",
                    "internal/engine/ReadWriteHolds.java",
                    "isHeld(find(holds, lock, LockKind.READ, released.terms().thread()))",
                    "false",
                    Focus.THREADS),
            new Mutant(
                    "a reader asks for the write lock",
                    "internal/engine/ReadWriteHolds.java",
                    "? null : writes.lease().grant().owner();",
                    "? null : writes.lease().grant().owner() + \"0\";",
                    Focus.THREADS),
            new Mutant(
                    "a leader does not hear of its loss",
                    "leader/LeaderElection.java",
                    "lease.loss().thenAccept(loss -> end(lease));",
                    "",
                    Focus.ELECTIONS),
            new Mutant(
                    "a leader is not told that it leads",
                    "leader/LeaderElection.java",
                    "tell(listener -> listener.onGranted(granted));",
                    "",
                    Focus.ELECTIONS),
            new Mutant(
                    "an election that is started again waits for its stop",
                    "leader/LeaderElection.java",
                    "!named || isStarted() ||",
                    "!named ||",
                    Focus.ELECTIONS),
            new Mutant(
                    "a waiter near the head sleeps as those behind it",
                    "internal/waiting/PollSchedule.java",
                    "if (!busy.nearHead() && messages == Messages.ARRIVE) {",
                    "if (messages == Messages.ARRIVE) {",
                    Focus.EXPIRIES),
            new Mutant(
                    "a place lives for less than a poll",
                    "internal/waiting/PollSchedule.java",
                    "toMillis(2 * farSleepNanos(rooms))",
                    "toMillis(farSleepNanos(rooms) / 3)",
                    Focus.LONG_HOLDS),
            new Mutant(
                    "a place that was served goes on listening",
                    "internal/engine/QueuePlace.java",
                    "        served.stopListening();\n",
                    "",
                    Focus.CLOSINGS),
            new Mutant(
                    "a caller that comes second asks without a room, too",
                    "internal/waiting/WaitingRooms.java",
                    " && rooms.remove(id, this)) {",
                    " && (rooms.remove(id, this) || true)) {"),
            new Mutant(
                    "a maximum hold is not kept",
                    "internal/lease/HeldLease.java",
                    "return of(startedAt, lease, terms.maxHoldNanos());",
                    "return of(startedAt, lease, LeaseTerms.NO_LIMIT);",
                    Focus.MIN_HOLDS));
}
