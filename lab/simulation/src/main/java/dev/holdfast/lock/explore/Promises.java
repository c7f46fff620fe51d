package dev.holdfast.lock.explore;

import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.explore.Scenario.Use;
import dev.holdfast.lock.internal.thread.AbstractLease;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Checks the promises in each situation. Before the first fault, a waiter must get a free lock as soon as nothing is in transit. After a fault, it has
 * the time that the manual states.
 */
final class Promises {

    /** How soon a free lock is found after the last fault. */
    private static final long FOUND = TimeUnit.MILLISECONDS.toNanos(6_200);

    /** How soon without a fault, by a client that does not hear messages: its longest sleep, and some ms. */
    private static final long FOUND_BY_POLL = TimeUnit.MILLISECONDS.toNanos(600);

    /** A minimum hold may end in Redis by so much later than for its holder. */
    private static final long ROUNDED = TimeUnit.MILLISECONDS.toNanos(2);

    private static final String TOKENS = "holdfast:token";

    /** A promise that is broken. */
    record Broken(String promise, String how) {}

    private final Situation situation;
    final RecordPromise records = new RecordPromise(this);
    /** The leases that are neither released nor lost. */
    private final List<Hold> holds = new ArrayList<>();
    /** The last token of each name. */
    private final Map<String, Long> tokens = new TreeMap<>();
    /** Until when a minimum hold keeps a name, in the time of the situation. */
    private final Map<String, Long> keptUntil = new TreeMap<>();
    /** The clients in the queue of each fair lock, in order of arrival. */
    private final Map<String, List<String>> arrivals = new TreeMap<>();
    /** Since when each waiter could have had its lock. */
    private final Map<Caller, Long> freeSince = new LinkedHashMap<>();

    private @Nullable Broken broken;

    Promises(Situation situation) {
        this.situation = situation;
    }

    /** Returns whether Redis has kept what it was told. */
    boolean isSound() {
        return situation.isSound();
    }

    @Nullable
    Broken broken() {
        return broken;
    }

    void fail(String promise, String how) {
        if (broken == null) {
            broken = new Broken(promise, how);
        }
    }

    void addTo(HeapDigest digest, List<ClientProcess> order) {
        digest.add(tokens);
        digest.add(records);
        keptUntil.forEach((name, until) -> {
            digest.add(name);
            digest.add(Math.max(0, until - situation.now()));
        });
        for (ClientProcess process : order) {
            for (Caller caller : process.callers) {
                Long since = freeSince.get(caller);
                digest.add(since == null ? -1 : situation.now() - since);
                for (List<String> queue : arrivals.values()) {
                    digest.add(queue.indexOf(process.name));
                }
            }
        }
    }

    // --- What callers see

    private static boolean isShared(@Nullable LockKind kind) {
        return kind == LockKind.READ || (kind != null && kind.isSemaphore());
    }

    void granted(Hold hold) {
        String name = hold.caller.name;
        situation.note(name + " has " + Caller.describe(hold.use));
        long token = hold.lease.fencingToken();
        for (String lock : hold.use.names()) {
            long last = tokens.getOrDefault(lock, 0L);
            if (situation.isSound() && (isShared(hold.use.kind()) ? token == last : token <= last)) {
                fail("tokens only grow", name + " has the token " + token + " after " + last);
            }
            tokens.merge(lock, token, Math::max);
            if (situation.isSound()
                    && !isShared(hold.use.kind())
                    && keptUntil.getOrDefault(lock, 0L) > situation.now()) {
                fail("a lock stays taken for its minimum hold", name + " has it earlier");
            }
        }
        holds.add(hold);
    }

    void refused(Caller caller, Use use, @Nullable Throwable failure) {
        situation.note(caller.name + " does not get the lock" + (failure == null ? "" : ": " + failure.getMessage()));
        if (failure == null) {
            if (situation.isFaultless() && use.waits()) {
                fail("busy is not said before the wait is over", caller.name);
            }
        } else if (!(failure instanceof LockException)) {
            fail("an acquisition fails with one of its answers only", caller.name + ": " + failure);
        } else if (situation.isFaultless() && caller.process.closing == null) {
            fail("unavailable is said only if something was wrong", caller.name + ": " + failure.getMessage());
        }
    }

    void lost(Hold hold, String cause) {
        situation.note(hold.caller.name + " learns that it has lost the lock (" + cause + ")");
        boolean isOver = hold.use.leaseMillis() > 0 || hold.caller.process.closing != null;
        if (situation.isFaultless() && !isOver) {
            fail("Redis keeps what is held", hold.caller.name + " has lost it: " + cause);
        }
        holds.remove(hold);
    }

    void released(Hold hold) {
        if (hold.use.minHoldMillis() > 0 && hold.isBelieved()) {
            long until = ((AbstractLease) hold.lease).minHoldEnd() - HeapDigest.FIRST_NANOS;
            hold.use.names().forEach(name -> keptUntil.put(name, until));
        }
        holds.remove(hold);
    }

    void releaseEnded(Hold hold, @Nullable Throwable failure) {
        if (failure != null && situation.isFaultless() && hold.use.leaseMillis() == 0) {
            fail("Redis keeps what is held", hold.caller.name + " could not release it: " + failure.getMessage());
        }
    }

    void failed(Hold hold, RuntimeException failure) {
        if (situation.isFaultless() && !(failure instanceof LockUnavailableException) && hold.use.leaseMillis() == 0) {
            fail("Redis keeps what is held", hold.caller.name + ": " + failure.getMessage());
        }
    }

    /** Called when a place is added to a queue. */
    void entered(String lock, String client) {
        List<String> queue = arrivals.computeIfAbsent(lock, name -> new ArrayList<>());
        if (!queue.contains(client)) {
            queue.add(client);
        }
    }

    /** Redis has lost its keys. */
    void forgotten() {
        holds.forEach(hold -> hold.forgotten = true);
    }

    // --- What each situation must satisfy

    void look() {
        Map<String, Server.Key> keys = new HashMap<>();
        situation.server.keys().forEach(key -> keys.put(key.name(), key));
        checkOrder(keys);
        for (Server.Key key : keys.values()) {
            if (key.millisLeft() < 0 && !key.name().equals(TOKENS)) {
                fail("every key of a lock has a time to live", key.name());
            }
        }
        if (situation.isSound()) {
            checkHolders(keys);
        }
        if (situation.isQuiet()) {
            checkWaiters(keys);
            if (situation.isFaultless()) {
                checkAgreement(keys);
            }
        }
    }

    /** A fair lock goes to the first client in its queue. */
    private void checkOrder(Map<String, Server.Key> keys) {
        arrivals.forEach((lock, queue) -> {
            Server.Key key = keys.get(lock);
            if (key != null && key.value() instanceof Map<?, ?> hash && "fair".equals(hash.get("holdfast:kind"))) {
                for (String owner : key.owners()) {
                    String client = HeapDigest.clientOf(owner);
                    if (queue.indexOf(client) > 0 && situation.isFaultless()) {
                        fail("a fair lock is granted in order of arrival", client + " has it before " + queue.get(0));
                    }
                    queue.remove(client);
                }
            }
        });
    }

    private void checkHolders(Map<String, Server.Key> keys) {
        List<Hold> believed = holds.stream().filter(Hold::isBelieved).toList();
        for (Hold one : believed) {
            for (Hold other : believed) {
                if (one != other && excludes(one, other)) {
                    fail("one holder at a time", one.caller.name + " and " + other.caller.name);
                }
            }
            LockKind kind = one.use.kind();
            if (kind != null && kind.isSemaphore() && believed.size() > one.use.permits()) {
                fail(
                        "a semaphore grants no more than its number",
                        believed.size() + " have one of " + one.use.permits());
            }
            for (String name : one.use.names()) {
                if (!isOwner(keys, name, one)) {
                    fail("Redis keeps what is held", one.caller.name + " relies on a lock that Redis has given away");
                }
            }
        }
    }

    private static boolean excludes(Hold one, Hold other) {
        boolean share = isShared(one.use.kind()) && isShared(other.use.kind());
        return !share && one.use.names().stream().anyMatch(other.use.names()::contains);
    }

    private static boolean isOwner(Map<String, Server.Key> keys, String name, Hold hold) {
        Server.Key lock = keys.get(name);
        LockKind kind = hold.use.kind();
        String field = hold.owner() + (kind == LockKind.WRITE ? ":write" : "");
        boolean hasField = lock != null && lock.value() instanceof Map<?, ?> hash && hash.containsKey(field);
        boolean needsHold = kind == LockKind.READ || kind == LockKind.WRITE;
        return hasField && (!needsHold || keys.containsKey("{" + name + "}:" + field + ":rwlock_timeout:1"));
    }

    /** A waiter that could have its lock does not wait for long. */
    private void checkWaiters(Map<String, Server.Key> keys) {
        for (Caller caller : situation.callers()) {
            Use asked = caller.process.runs() ? caller.asked() : null;
            if (asked == null || !asked.waits() || caller.process.closing != null || !isFree(asked, keys)) {
                freeSince.remove(caller);
                continue;
            }
            long since = freeSince.computeIfAbsent(caller, waiter -> situation.now());
            long waited = situation.now() - Math.max(since, situation.lastFaultAt());
            boolean isPrompt = situation.isFaultless() && caller.process.hears;
            boolean isOver = isPrompt || waited > (situation.isFaultless() ? FOUND_BY_POLL : FOUND);
            if (isOver || situation.nextMoment() == Long.MAX_VALUE) {
                fail(
                        isPrompt ? "a release wakes a waiter" : "a waiter finds a free lock",
                        caller.name + " waits for " + Caller.describe(asked) + ", which nobody has");
            }
        }
    }

    private boolean isFree(Use asked, Map<String, Server.Key> keys) {
        if (asked.names().stream().anyMatch(name -> keptUntil.getOrDefault(name, 0L) >= situation.now() - ROUNDED)) {
            return false;
        }
        List<Hold> present = holds.stream()
                .filter(hold ->
                        !hold.caller.process.dead && hold.use.names().stream().anyMatch(asked.names()::contains))
                .toList();
        LockKind kind = asked.kind();
        if (kind == LockKind.READ) {
            boolean writerWaits = situation.callers().stream()
                    .anyMatch(other -> other.asked() != null && other.asked().kind() == LockKind.WRITE);
            if (writerWaits || present.stream().anyMatch(hold -> hold.use.kind() != LockKind.READ)) {
                return false;
            }
        } else if (present.size() >= Math.max(1, asked.permits())) {
            return false;
        }
        // After a fault, Redis may list a holder that has died or that does not know of its grant.
        return (situation.isFaultless() && !situation.hasFixedLeases())
                || asked.names().stream()
                        .allMatch(name -> keys.get(name) == null
                                || (isShared(kind) && kind != LockKind.READ && permitsLeft(keys.get(name), asked) > 0));
    }

    private static int permitsLeft(Server.Key key, Use asked) {
        return asked.permits() - key.owners().size();
    }

    /** Checks that Redis and the clients agree while nothing is in transit. */
    private void checkAgreement(Map<String, Server.Key> keys) {
        int waiters = (int) situation.callers().stream()
                .filter(caller -> caller.asked() != null)
                .count();
        int places = 0;
        for (Server.Key key : keys.values()) {
            if (key.name().startsWith(Server.PLACES) && key.value() instanceof List<?> queue) {
                places += queue.size();
            }
            if (key.name().startsWith(Server.RECORDS)) {
                continue;
            }
            for (String owner : key.owners()) {
                boolean isKept = owner.endsWith(":0") || owner.endsWith(":0:write");
                boolean isHeld = holds.stream().anyMatch(hold -> owner.startsWith(hold.owner()));
                boolean isPlace = key.name().startsWith("redisson_lock_timeout");
                if (!isKept && !isHeld && !isPlace && !mayNotKnow(owner)) {
                    fail("nothing stays behind", key.name() + " belongs to " + owner + ", and nobody knows it");
                }
            }
        }
        if (places > waiters) {
            fail("nothing stays behind", places + " places of " + waiters + " waiters");
        }
    }

    /**
     * Returns whether Redis may list this owner although no caller has the lock: its client hears no messages, or a fixed lease has ended for the client
     * first.
     */
    private boolean mayNotKnow(String owner) {
        return situation.hasFixedLeases()
                || situation.callers().stream()
                        .anyMatch(caller ->
                                !caller.process.hears && owner.startsWith(HeapDigest.CLIENT + caller.process.name));
    }

    /** Called when Redis has run a script. */
    void executed(Wire.Request<?> request) {
        if (request.script.name().equals("record-write") && request.outcome().equals("[1]")) {
            Object lock = situation.server.keys().stream()
                    .filter(key -> key.name().equals(request.keys.get(0)))
                    .findFirst()
                    .map(Server.Key::value)
                    .orElse(null);
            if (!(lock instanceof Map<?, ?> hash && hash.containsKey(request.args.get(0)))) {
                fail("only a lock's holder writes its record", request.args.get(0) + " does not have the lock");
            }
        }
    }
}
