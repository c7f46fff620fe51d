package dev.holdfast.lock.simulation;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The promises of docs/guarantees.md, by their numbers, each with the checks that fail if it is broken. */
public enum Promise {
    /** What the page says before all numbers. */
    ONE_HOLDER(0, "one holder at a time"),
    LOSS(
            1,
            "a loss is reported before another is granted the lock",
            "a loss is reported immediately",
            "a loss is reported once",
            "a lease is released or lost",
            "a holder learns at its next renewal that Redis lost its lock",
            "a holder learns at its next renewal that Redis has lost its lock",
            "a held lease is confirmed",
            "Redis keeps what is held",
            "nothing is lost where nothing goes wrong",
            "a lease is as long as was asked for",
            "a lease is not longer than was asked for",
            "a maximum hold ends the lease",
            "an extension is as long as was asked for",
            "a nested hold has its whole lease",
            "a renewed lease is not lost while its client and Redis are well",
            "a renewed lease outlives a short outage",
            "a caller is given a valid lease",
            "an answer counts from the last sending of its command"),
    LATE_HOLDER(
            2,
            "a holder whose lease is over writes nothing",
            "only a lock's holder writes its record",
            "a release says that the lease was lost, or nothing"),
    TOKENS(3, "tokens only grow", "no token is given twice", "the rightful holder is not refused"),
    NOTHING_BEHIND(
            4,
            "nothing stays behind",
            "nothing is left in Redis",
            "every key of a lock has a time to live",
            "a lock ends with its lease",
            WireContract.CHECK,
            "a closed client leaves nothing in Redis",
            "a closed client holds nothing and waits for nothing",
            "a closed client has no timer",
            "a closed client has no subscription",
            "a closed client has no connection",
            "an instance that was stopped does not lead"),
    FREE_LOCK(
            5,
            "a waiter finds a free lock",
            "a release wakes a waiter",
            "a lock that nobody holds goes to a waiter",
            "who leaves the queue of a free lock serves the next",
            "who asks for a free lock gets it",
            "a release serves the next in the queue",
            "a release tells those whose turn it is",
            "a client hears what it listens to",
            "a message reaches each of its listeners once",
            "listeners are told that messages may be missing",
            "an election has a leader",
            "waiters ask seldom"),
    WAIT_TIME(
            6,
            "a wait time includes everything",
            "every call is answered",
            "every release is answered",
            "a command ends with its timeout",
            "a command ends with its connection",
            "a command has its whole timeout",
            "nothing is sent after the wait for an answer",
            "an answer that has arrived is not a timeout",
            "a late answer reaches its caller",
            "an answer is late after the end of its call",
            "attempts to connect are paced",
            "a client connects again",
            "a client closes connections that it has replaced"),
    ANSWERS(
            7,
            "busy, unavailable and lost are different answers",
            "busy is not said before the wait is over",
            "unavailable is said only if something was wrong",
            "a caller is refused only after its wait",
            "a call is answered once",
            "an answer is read once",
            "a script ends with an answer",
            "an acquisition fails with one of its answers only",
            "an acquisition fails with an exception that is not one of its answers",
            "a write counts when replicas have confirmed it"),
    TURNS(8, "every client gets its turn", "a turn has an end"),
    ORDER(9, "a fair lock is granted in order of arrival", "a release passes over places that have ended"),
    READERS_AND_WRITERS(10, "a reader enters beside readers", "a reader does not become a writer", "a writer may read"),
    SEMAPHORES(12, "a semaphore grants no more than its number"),
    FAILOVER(
            13,
            "nothing is granted in the grace",
            "a slot is closed for the whole grace",
            "a slot that has opened stays open",
            "no holder loses its lock in a failover"),
    /** What other pages promise. */
    OTHER(
            0,
            "a lock stays taken for its minimum hold",
            "who was not asked to stop is not told",
            "who is asked to stop is told at the next renewal",
            "a leader is told of its beginning and its end in turn",
            "an election has one leader at a time",
            "a record has the text of its latest writer",
            "a record is replaced where it says what it said",
            "a record outlives a failover",
            "entries are counted",
            "an inspection shows what Redis has",
            "a thread enters its own lock again",
            "a lock is held until its last unlock",
            "the simulation itself goes on",
            "the exploration itself goes on");

    private static final Map<String, Promise> OF = new LinkedHashMap<>();

    static {
        for (Promise promise : values()) {
            promise.checks.forEach(check -> OF.put(check, promise));
        }
    }

    private final int number;

    @SuppressWarnings("ImmutableEnumChecker") // List.of cannot be changed.
    private final List<String> checks;

    Promise(int number, String... checks) {
        this.number = number;
        this.checks = List.of(checks);
    }

    /** Returns the promise that a check checks. A check that names none cannot fail. */
    public static Promise of(String check) {
        Promise promise = OF.get(check);
        if (promise == null) {
            throw new IllegalArgumentException("No promise is named for the check: " + check);
        }
        return promise;
    }

    /** Returns its number in docs/guarantees.md; 0 if it has none. */
    public int number() {
        return number;
    }

    public List<String> checks() {
        return checks;
    }
}
