package dev.holdfast.lock.explore;

import dev.holdfast.lock.explore.MutantSearch.Place;
import java.util.LinkedHashMap;
import java.util.Map;

/** Where each mutant is found: a scenario, what may go wrong in it, how many times time may pass, and how many situations are enough. */
final class MutantPlaces {

    static final Map<String, Place> ALL = new LinkedHashMap<>();

    static {
        put("a held lock is granted to who asks", "plain", "", 6, 50);
        put("a lock is taken without an end", "plain", "", 6, 50);
        put("the last token is not looked at", "again", "LOSE", 6, 1_000);
        put("every grant has the same token", "two readers", "", 6, 50);
        put("an owner that asks again does not learn how long it has the lock", "plain", "CUT_COMMANDS", 6, 100);
        put("who waits does not enter the queue", "plain", "", 6, 1_000);
        put("a release frees the lock of any holder", "a try", "CUT_COMMANDS", 6, 500);
        put("dead places are served", "a holder that does not release", "VANISH", 12, 8_000);
        put("clients that do not hear are passed over", "a client that does not hear", "", 6, 200);
        put("a grant by a release draws no token", "plain", "", 6, 500);
        put("a renewal prolongs anybody's lock", "plain", "LOSE", 6, 500);
        put("a semaphore counts one permit less", "one permit", "", 6, 50);
        put("a permit that has ended counts", "permits that end", "", 9, 4_000);
        put("a reader's hold is not removed", "two writers", "", 6, 1_000);
        put("several names: one that is taken counts as free", "two names and the second", "", 6, 100);
        put("several names: the second has no end", "two names", "", 6, 50);
        put("a renewal after an extension changes nothing", "an extension of a renewed lease", "", 14, 1_000);
        put(
                "a renewal of a read/write lock after an extension changes nothing",
                "an extension of a writer's lease",
                "",
                14,
                1_000);
        put("the first end of several permits is not noted", "permits that end", "", 9, 4_000);
        put("the key of a semaphore ends with the permit that was written last", "permits of two lengths", "", 6, 50);
        put("a permit is written without its token", "one permit", "", 6, 50);
        put("a semaphore is noted as a plain one", "one permit in order", "", 6, 50);
        put(
                "after a writer only one client of readers is told",
                "a writer, its client's reader and another",
                "",
                6,
                4_000);
        put("the place that is told is not named", "two writers", "", 6, 200);
        put("a reader is told before the writer ahead of it", "a reader and a writer", "", 6, 500);
        put("the holds of a holder are not visited", "two writers", "", 6, 50);
        put("all holders share one hold", "two writers", "", 6, 50);
        put("a writer that gives up tells no reader", "two readers of a client and a writer", "CANCEL", 6, 15_000);
        put("a minimum hold of a read/write lock is not kept", "a minimum hold of a writer", "", 6, 200);
        put("a minimum hold is kept for a part of its time", "a minimum hold", "", 6, 1_000);
        put("a record has no end", "a record", "", 6, 50);
        put("a record is not written", "a record", "", 6, 200);
        put("the reign is not compared", "plain, with a grace", "PROMOTE", 6, 4_000);
        put("there is no grace", "a fixed lease, with a grace", "PROMOTE", 6, 8_000);
        put("a lost hold is not written again", "plain, with a grace", "PROMOTE", 8, 2_000);
        put("a lost permit is not written again", "one permit, with a grace", "PROMOTE", 8, 2_000);
        put("a lost hold of a read/write lock is not written again", "two writers, with a grace", "PROMOTE", 8, 2_000);
        put("a release of what Redis has lost counts as a loss", "plain, with a grace", "PROMOTE", 6, 1_000);
        put("a writer that reads waits for itself", "a writer that reads", "", 2, 100);
        put("the grace is too short", "one holder, with a grace", "PROMOTE", 6, 4_000);
        put("a grace of an earlier reign goes on", "one holder, with a grace", "PROMOTE PROMOTE", 8, 20_000);
        put("an older hold is not replaced", "plain, with a grace", "LAG", 3, 20_000);
        put("a hold that was released keeps a reader or a writer out", "two writers, with a grace", "LAG", 3, 20_000);
        put("a request for a free lock serves nobody in the queue", "a fair waiter and a try", "VANISH", 3, 40_000);
        put(
                "who leaves the queue of a free lock serves nobody",
                "two fair waiters of a client",
                "CANCEL DELAY",
                2,
                60_000);
        put("the turn of a place that was told does not end", "a writer that asks again", "VANISH", 2, 40_000);
        put("a place that was entered is forgotten", "plain", "CANCEL", 6, 1_000);
        put("who gives up while its request is under way is not taken back", "plain", "CANCEL", 6, 1_000);
        put("the room forgets a message that comes while it asks", "plain", "", 6, 1_000);
        put("a room does not poll", "plain", "LOST_MESSAGE", 9, 2_000);
        put(
                "a writer that goes on reading hands its lock over",
                "a writer that reads, its client's writer, and a reader",
                "",
                3,
                1_000);
        put("a holder that gets a lock from another has its token", "two threads and a client", "", 6, 1_000);
    }

    private MutantPlaces() {}

    private static void put(String mutant, String scenario, String fault, int moments, int situations) {
        ALL.put(mutant, new Place(scenario, fault, moments, situations));
    }
}
