package dev.holdfast.lock.explore;

import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.explore.Scenario.Use;
import dev.holdfast.lock.internal.thread.AbstractLease;
import dev.holdfast.lock.simulation.Promise;
import dev.holdfast.lock.simulation.WireContract;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Checks the promises in each situation. Before the first fault, a waiter must get a free lock as soon as nothing is in transit. After a fault, it has
 * the time that the manual states.
 */
final class Promises {

    /** How soon a free lock is found after the last fault. */
    static final long FOUND = TimeUnit.MILLISECONDS.toNanos(6_200);

    /** How soon beside one client that stands still or is dead, and has one place. */
    private static final long FOUND_BESIDE_SILENT = TimeUnit.MILLISECONDS.toNanos(2_300);

    /** How soon without a fault, by a client that does not hear messages: its longest sleep, and some ms. */
    private static final long FOUND_BY_POLL = TimeUnit.MILLISECONDS.toNanos(600);

    /** Scripts count in whole ms. */
    private static final long ROUNDED = TimeUnit.MILLISECONDS.toNanos(2);

    private static final List<String> OF_SLOTS = List.of("holdfast:token", "holdfast:open:", "holdfast:reign");

    private static final String KEPT_IN_FAILOVER = "no holder loses its lock in a failover";

    /** A promise that is broken. */
    record Broken(String promise, String how) {
        Broken {
            Promise.of(promise);
        }
    }

    private final Situation situation;
    final RecordPromise records = new RecordPromise(this);
    /** The leases that are neither released nor lost. */
    private final List<Hold> holds = new ArrayList<>();
    /** The last token of each name. */
    private final Map<String, Long> tokens = new TreeMap<>();
    /** Until when a minimum hold keeps a name, in the time of the situation. */
    private final Map<String, Long> keptUntil = new TreeMap<>();
    /** The places in the queue of each lock, in order of arrival. */
    private final Map<String, List<String>> arrivals = new TreeMap<>();
    /** Since when each waiter could have had its lock. */
    private final Map<Caller, Long> freeSince = new LinkedHashMap<>();

    /** The deadlines of all places when nothing had happened since. */
    private final Map<String, Double> deadlines = new HashMap<>();
    /** The owners of all locks at that time. */
    private final Set<String> owners = new HashSet<>();
    /** Whether a lock was released by force. */
    private boolean forced;
    /** What Redis has run since then. */
    private Wire.@Nullable Request<?> ran;

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
        digest.add(records.written());
        digest.add(forced ? 1L : 0L);
        arrivals.values().forEach(digest::add);
        keptUntil.forEach((name, until) -> {
            digest.add(name);
            digest.add(Math.max(0, until - situation.now()));
        });
        for (ClientProcess process : order) {
            for (Caller caller : process.callers) {
                Long since = freeSince.get(caller);
                digest.add(since == null ? -1 : situation.now() - since);
            }
        }
    }

    /** Returns whether somebody waits for a lock that nobody has. */
    boolean isLockLeft() {
        return !freeSince.isEmpty();
    }

    // --- What callers see

    private static boolean isShared(@Nullable LockKind kind) {
        return kind == LockKind.READ || (kind != null && kind.isSemaphore());
    }

    void granted(Hold hold) {
        String name = hold.caller.name;
        situation.note(name + " has " + Caller.describe(hold.use));
        long token = hold.lease.fencingToken();
        hold.forgotten = forced && !isOwner(keys(), hold);
        for (String lock : hold.use.names()) {
            long last = tokens.getOrDefault(lock, 0L);
            if (token == last) {
                fail("no token is given twice", name + " has the token " + token + ", as another before it");
            } else if (situation.isSound() && !hold.forgotten && !isShared(hold.use.kind()) && token < last) {
                fail("tokens only grow", name + " has the token " + token + " after " + last);
            }
            tokens.merge(lock, token, Math::max);
            if (situation.isSound()
                    && (!isShared(hold.use.kind()) || hold.use.permits() == 1)
                    && keptUntil.getOrDefault(lock, 0L) > situation.now()) {
                fail("a lock stays taken for its minimum hold", name + " has it earlier");
            }
        }
        holds.add(hold);
    }

    private Map<String, Server.Key> keys() {
        Map<String, Server.Key> keys = new HashMap<>();
        situation.server.keys().forEach(key -> keys.put(key.name(), key));
        return keys;
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
        boolean isOver = hold.use.leaseMillis() > 0 || hold.forgotten || hold.caller.process.closing != null;
        if (situation.isFaultless() && !isOver) {
            fail("Redis keeps what is held", hold.caller.name + " has lost it: " + cause);
        }
        if (situation.isPromoted() && !isOver) {
            fail(KEPT_IN_FAILOVER, hold.caller.name + " has lost it: " + cause);
        }
        holds.remove(hold);
    }

    void released(Hold hold) {
        if (hold.use.minHoldMillis() > 0 && hold.isBelieved() && !hold.forgotten) {
            long until = ((AbstractLease) hold.lease).minHoldEnd() - HeapDigest.FIRST_NANOS;
            hold.use.names().forEach(name -> keptUntil.put(name, until));
        }
        holds.remove(hold);
    }

    void releaseEnded(Hold hold, @Nullable Throwable failure) {
        if (failure != null && situation.isFaultless() && hold.use.leaseMillis() == 0 && !forced) {
            fail("Redis keeps what is held", hold.caller.name + " could not release it: " + failure.getMessage());
        }
        if (failure instanceof LeaseLostException && situation.isPromoted() && hold.use.leaseMillis() == 0) {
            fail(KEPT_IN_FAILOVER, hold.caller.name + " could not release it: " + failure.getMessage());
        }
    }

    void failed(Hold hold, RuntimeException failure) {
        if (situation.isFaultless()
                && !(failure instanceof LockUnavailableException)
                && hold.use.leaseMillis() == 0
                && !forced) {
            fail("Redis keeps what is held", hold.caller.name + ": " + failure.getMessage());
        }
    }

    /** Called when a place is added to a queue. */
    void entered(String lock, String place) {
        List<String> queue = arrivals.computeIfAbsent(lock, name -> new ArrayList<>());
        if (!queue.contains(place)) {
            queue.add(place);
        }
    }

    /** Redis has lost its keys. */
    void forgotten() {
        holds.forEach(hold -> hold.forgotten = true);
    }

    /** A replica has taken over. What it has was not granted by the latest script. */
    void promoted() {
        ran = null;
    }

    // --- What each situation must satisfy

    void look() {
        Map<String, Server.Key> keys = keys();
        checkOrder(keys);
        checkEnds(keys.values());
        checkContract(keys);
        checkStep(keys);
        checkNews();
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

    private void checkEnds(Collection<Server.Key> keys) {
        for (Server.Key key : keys) {
            if (key.millisLeft() < 0 && OF_SLOTS.stream().noneMatch(key.name()::startsWith)) {
                fail("every key of a lock has a time to live", key.name());
            }
            int longest = situation
                    .scenario()
                    .uses()
                    .filter(use -> use.names().contains(key.name()))
                    .mapToInt(Use::mostMillis)
                    .max()
                    .orElse(Integer.MAX_VALUE);
            if (key.millisLeft() > longest) {
                fail("a lock ends with its lease", key.name() + " is kept for " + key.millisLeft() + " ms");
            }
        }
    }

    private void checkContract(Map<String, Server.Key> keys) {
        situation
                .scenario()
                .uses()
                .flatMap(use -> use.names().stream())
                .distinct()
                .forEach(name -> {
                    String how = WireContract.broken(keys::get, name, situation.server.millis());
                    if (how != null) {
                        fail(WireContract.CHECK, how);
                    }
                });
    }

    /** Checks what Redis has just run. */
    private void checkStep(Map<String, Server.Key> keys) {
        Wire.Request<?> request = ran;
        ran = null;
        if (request != null && request.wasRun()) {
            String script = request.script.name();
            if (script.equals("force")) {
                forced = true;
                // Who releases by force ends a minimum hold, too.
                keptUntil.remove(request.keys.get(0));
                holds.stream()
                        .filter(hold -> hold.use.names().contains(request.keys.get(0)))
                        .forEach(hold -> hold.forgotten = true);
            }
            if (situation.isPromoted()
                    && situation.server.isOpen()
                    && situation.knownReign() < situation.scenario().graceNanos() - ROUNDED) {
                fail(
                        "a slot is closed for the whole grace",
                        "it opened after " + TimeUnit.NANOSECONDS.toMillis(situation.knownReign()) + " ms");
            }
            if (situation.isPromoted() && !situation.server.isOpen() && !script.endsWith("assert")) {
                owners(keys).filter(owner -> !owners.contains(owner)).forEach(owner -> {
                    fail("nothing is granted in the grace", owner + " has the lock");
                });
            }
            boolean isRefusal = request.outcome().startsWith("[0,");
            for (String lock : request.keys) {
                Use use = situation
                        .scenario()
                        .uses()
                        .filter(one -> one.names().contains(lock))
                        .findFirst()
                        .orElse(null);
                if (use == null || situation.scenario().graceMillis() > 0) {
                    continue;
                }
                // A script that does not change the lock leaves nothing to others: a client that subscribes while the
                // lock is free asks once more.
                boolean isForced = script.equals("force") && request.outcome().equals("[1]");
                String asker = request.args.isEmpty() ? "" : request.args.get(0);
                boolean hadIt = owners.contains(asker) || deadlines.containsKey(asker);
                if ((isForced || (script.endsWith("release") && hadIt)) && !hasOwnKey(use)) {
                    checkServed(lock, use, keys);
                } else if (isRefusal && (script.equals("acquire") || script.equals("semaphore-acquire"))) {
                    checkRefusal(lock, use, request.args.get(0), keys);
                }
                if ((isForced && hasOwnKey(use)) || (script.equals("rw-release") && hadIt)) {
                    checkTold(lock, keys);
                }
                checkDead(keys.get(lock), asker);
            }
            if (script.endsWith("renew") || script.endsWith("assert")) {
                for (Hold hold : holds) {
                    if (hold.forgotten && hold.told == null && request.args.contains(hold.owner())) {
                        hold.told = isOwner(keys, hold) ? null : request;
                    }
                }
            }
        }
        owners.clear();
        owners(keys).forEach(owners::add);
        deadlines.clear();
        keys.values().stream()
                .filter(key -> key.name().startsWith(Server.DEADLINES))
                .forEach(key -> deadlines(key).forEach((place, end) -> deadlines.put(place, end)));
    }

    private static Stream<String> owners(Map<String, Server.Key> keys) {
        return keys.values().stream()
                .filter(key -> !key.name().startsWith(Server.DEADLINES))
                .flatMap(key -> key.owners().stream());
    }

    @SuppressWarnings("unchecked") // It is a sorted set.
    private static Map<String, Double> deadlines(Server.@Nullable Key key) {
        return key != null && key.value() instanceof Map<?, ?> places ? (Map<String, Double>) places : Map.of();
    }

    /** No lock stays free beside a place whose client learns of a grant. */
    private void checkServed(String lock, Use use, Map<String, Server.Key> keys) {
        if (isTaken(keys.get(lock), use)) {
            return;
        }
        long now = situation.server.millis();
        deadlines(keys.get(Server.DEADLINES + "{" + lock + "}")).forEach((place, end) -> {
            if (end > now
                    && !place.matches("[^:]*:[^:]*:[^:]*:0.*")
                    && (asksSoon(end, now) || situation.server.hears(place))) {
                fail("a release serves the next in the queue", place + " waits, and nobody has the lock");
            }
        });
    }

    /** Returns whether a place's deadline says that its client asks again soon, although no messages reach it. */
    private static boolean asksSoon(double end, long now) {
        double fraction = end % 1;
        double askedAgo = 5_000 - (end - now);
        return (fraction == 0.5 && askedAgo < 1_000) || fraction == 0.75;
    }

    private boolean isTaken(Server.@Nullable Key key, Use use) {
        if (key == null || use.permits() == 0) {
            return key != null;
        }
        long now = situation.server.millis();
        return key.value() instanceof Map<?, ?> hash
                && key.owners().stream()
                                .filter(owner -> end(hash.get(owner)) > now)
                                .count()
                        >= use.permits();
    }

    private static long end(@Nullable Object permit) {
        String text = String.valueOf(permit);
        return Long.parseLong(text.substring(0, Math.max(0, text.indexOf(':'))));
    }

    /** A release of a read/write lock, or who leaves its queue, tells those whose turn it is. */
    private void checkTold(String lock, Map<String, Server.Key> keys) {
        Server.Key key = keys.get(lock);
        String mode = key != null && key.value() instanceof Map<?, ?> hash ? String.valueOf(hash.get("mode")) : "";
        Map<String, Double> ends = deadlines(keys.get(Server.DEADLINES + "{" + lock + "}"));
        boolean readers = false;
        for (String place : arrivals.getOrDefault(lock, List.of())) {
            boolean writes = place.endsWith(":write");
            if (mode.equals("write") || (writes && (readers || !mode.isEmpty()))) {
                return;
            }
            long now = situation.server.millis();
            double end = ends.getOrDefault(place, 0.0);
            boolean hears = situation.server.hears(place);
            if (end > now && (hears || asksSoon(end, now))) {
                String owner = writes ? place.substring(0, place.lastIndexOf(':')) : place;
                if (hears && !situation.isTold(owner) && situation.isAlive(HeapDigest.clientOf(place))) {
                    fail("a release tells those whose turn it is", place + " could have the lock");
                }
                if (writes) {
                    return;
                }
                readers = true;
            }
        }
    }

    private void checkRefusal(String lock, Use use, String owner, Map<String, Server.Key> keys) {
        boolean hasOthers = deadlines(keys.get(Server.DEADLINES + "{" + lock + "}")).keySet().stream()
                .anyMatch(place -> !place.equals(owner));
        if (!hasOthers && !isTaken(keys.get(lock), use)) {
            fail("who asks for a free lock gets it", owner + " does not");
        }
    }

    /** No place gets a lock after its end. */
    private void checkDead(Server.@Nullable Key lock, String asker) {
        if (lock != null) {
            for (String owner : lock.owners()) {
                if (!owner.equals(asker)
                        && deadlines.getOrDefault(owner, Double.MAX_VALUE) <= situation.server.millis()) {
                    fail("a release passes over places that have ended", owner);
                }
            }
        }
    }

    private void checkNews() {
        for (Hold hold : holds) {
            Wire.Request<?> told = hold.told;
            if (told != null && told.answered && hold.isBelieved()) {
                fail("a holder learns at its next renewal that Redis has lost its lock", hold.caller.name);
            }
        }
    }

    /** A fair lock goes to the first place in its queue. */
    private void checkOrder(Map<String, Server.Key> keys) {
        arrivals.forEach((lock, queue) -> {
            Map<String, Double> present = deadlines(keys.get(Server.DEADLINES + "{" + lock + "}"));
            Server.Key key = keys.get(lock);
            if (key != null && key.value() instanceof Map<?, ?> hash && "fair".equals(hash.get("holdfast:kind"))) {
                for (String owner : key.owners()) {
                    int place = queue.indexOf(owner);
                    boolean isNew = !owners.contains(owner);
                    for (String ahead : queue.subList(0, place < 0 ? queue.size() : place)) {
                        if (isNew
                                && (situation.isFaultless() || learns(ahead))
                                && !owner.endsWith(":0")
                                && present.getOrDefault(ahead, 0.0) > situation.server.millis()) {
                            fail("a fair lock is granted in order of arrival", owner + " has it before " + ahead);
                        }
                    }
                }
            }
            queue.retainAll(present.keySet());
        });
    }

    /** Returns whether the client of a place is well, although another process stands still. */
    private boolean learns(String place) {
        return situation.scenario().isOnlySilence()
                && situation.isAlive(HeapDigest.clientOf(place))
                && situation.server.hears(place);
    }

    private void checkHolders(Map<String, Server.Key> keys) {
        List<Hold> believed = holds.stream()
                .filter(hold -> hold.isBelieved() && !hold.forgotten)
                .toList();
        for (Hold one : believed) {
            for (Hold other : believed) {
                if (one.caller != other.caller && excludes(one, other)) {
                    fail("one holder at a time", one.caller.name + " and " + other.caller.name);
                }
            }
            LockKind kind = one.use.kind();
            if (kind != null && kind.isSemaphore() && believed.size() > one.use.permits()) {
                fail(
                        "a semaphore grants no more than its number",
                        believed.size() + " have one of " + one.use.permits());
            }
            if (situation.isPromoted()) {
                continue;
            }
            long rest = one.lease.remaining().toMillis();
            for (String name : one.use.names()) {
                if (!isOwner(keys, name, one)) {
                    fail("Redis keeps what is held", one.caller.name + " relies on a lock that Redis has given away");
                } else if (millisLeft(keys, name, one) < rest) {
                    fail(
                            "Redis keeps what is held",
                            one.caller.name + " relies on a lock for " + rest + " ms that Redis keeps for "
                                    + millisLeft(keys, name, one) + " ms");
                }
            }
        }
    }

    private static boolean excludes(Hold one, Hold other) {
        boolean share = isShared(one.use.kind()) && isShared(other.use.kind());
        return !share && one.use.names().stream().anyMatch(other.use.names()::contains);
    }

    private static boolean isOwner(Map<String, Server.Key> keys, Hold hold) {
        return hold.use.names().stream().allMatch(name -> isOwner(keys, name, hold));
    }

    private static boolean isOwner(Map<String, Server.Key> keys, String name, Hold hold) {
        Server.Key lock = keys.get(name);
        boolean hasField = lock != null && lock.value() instanceof Map<?, ?> hash && hash.containsKey(field(hold));
        return hasField && (!hasOwnKey(hold.use) || keys.containsKey(ownKey(name, hold)));
    }

    private static String field(Hold hold) {
        return hold.owner() + (hold.use.kind() == LockKind.WRITE ? ":write" : "");
    }

    /** Returns whether a hold has a key of its own, as those of readers and writers have. */
    private static boolean hasOwnKey(Use use) {
        return use.kind() == LockKind.READ || use.kind() == LockKind.WRITE;
    }

    private static String ownKey(String name, Hold hold) {
        return WireContract.holdKey(name, field(hold));
    }

    private long millisLeft(Map<String, Server.Key> keys, String name, Hold hold) {
        Server.Key lock = keys.get(name);
        if (lock == null) {
            return 0;
        }
        long left = lock.millisLeft();
        if (hasOwnKey(hold.use)) {
            Server.Key own = keys.get(ownKey(name, hold));
            left = Math.min(left, own == null ? 0 : own.millisLeft());
        } else if (hold.use.permits() > 0 && lock.value() instanceof Map<?, ?> hash) {
            left = Math.min(left, end(hash.get(hold.owner())) - situation.server.millis());
        }
        return left;
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
            boolean isOver = isPrompt || waited > longestWait();
            if (isOver || situation.nextMoment() == Long.MAX_VALUE) {
                fail(
                        isPrompt ? "a release wakes a waiter" : "a waiter finds a free lock",
                        caller.name + " waits for " + Caller.describe(asked) + ", which nobody has");
            }
        }
    }

    private long longestWait() {
        if (situation.isFaultless()) {
            return FOUND_BY_POLL;
        }
        return situation.scenario().isOnlySilence() ? FOUND_BESIDE_SILENT : FOUND;
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
        ran = request;
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
