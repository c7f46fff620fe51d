package dev.holdfast.lock.internal.deadlock;

import dev.holdfast.lock.LogText;
import dev.holdfast.lock.internal.background.LockLog;
import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.KindTraits;
import dev.holdfast.lock.internal.lease.Watchdog;
import dev.holdfast.lock.internal.protocol.LockKeys;
import dev.holdfast.lock.internal.waiting.Answer.Busy;
import dev.holdfast.lock.internal.waiting.LongWaits;
import dev.holdfast.lock.internal.waiting.Waiter;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Finds circles of threads that wait for each other's locks, in one client or in several. A blocked thread that waits for long and holds other locks
 * writes down in Redis, beside each of its holds, for which holder it waits. Then it follows such notes from the holder that it waits for. A circle is
 * found if they lead to one of its own holds.
 *
 * <p>A note belongs to a grant. So a holder that does not wait, and a grant that has changed hands, have none. Shared locks and semaphores have no notes
 * either, because another holder may let the waiter in, nor has a lease that any thread may release. A note ends with the wait, or by its time to
 * live.
 *
 * <p>The rooms only report their long waits. One search at a time looks at all leases once, for all waits that were reported, and then sends the
 * commands of a few waits at a time. So thousands of waits beside thousands of leases do not delay other commands.
 */
public final class Deadlocks implements LongWaits {

    private static final LockLog LOG = LockLog.LOG;

    /** Longer than the time between two checks of a wait, which also depends on the poll interval. */
    private static final String NOTE_MILLIS = "15000";

    private static final int MOST_NOTES = 10;

    /** Waits that begin together are reported within about this time. */
    private static final long GATHERING = TimeUnit.MILLISECONDS.toNanos(20);

    private static final long BETWEEN_STEPS = TimeUnit.MILLISECONDS.toNanos(10);

    /** Bounds the commands that are sent at once: {@link #MOST_NOTES} and one for each wait. */
    private static final int WAITS_IN_A_STEP = 10;

    /** A wait of a blocked thread for a lock, and the owner id of the lock's holder. */
    private record Wait(Waiter waiter, String lockName, String holder) {

        Thread thread() {
            return waiter.terms().thread();
        }
    }

    /** A note that a holder waits: the owner id of the hold for which it waits, its client and thread, and the lock that it waits for. */
    private record Note(String holder, String client, String thread, String lockName) {

        static Note parse(String text) {
            String[] parts = text.split("\n", 4);
            return parts.length < 4 ? new Note("", "", "", "") : new Note(parts[0], parts[1], parts[2], parts[3]);
        }

        String text() {
            return String.join("\n", holder, client, thread, lockName);
        }
    }

    /** What is known of a wait. A circle that is found again in the same wait, because a note was missing meanwhile, is not logged again. */
    private static final class Known {

        private final Set<String> logged = ConcurrentHashMap.newKeySet();
        private volatile @Nullable String circle;
    }

    private final RedisGateway gateway;
    private final LockKeys keys;
    private final String clientName;
    private final Watchdog watchdog;
    private final Timer timer;
    private final Executor ownThreads;
    /** The waits that no search has looked at. A later report of a wait replaces the earlier one. */
    private final Map<Waiter, Wait> reported = new ConcurrentHashMap<>();

    private final AtomicBoolean searching = new AtomicBoolean();
    /** What is known of each wait that has written notes, until it ends. */
    private final Map<Waiter, Known> known = new ConcurrentHashMap<>();

    public Deadlocks(
            RedisGateway gateway,
            LockKeys keys,
            String clientName,
            Watchdog watchdog,
            Timer timer,
            Executor ownThreads) {
        this.gateway = gateway;
        this.keys = keys;
        this.clientName = clientName;
        this.watchdog = watchdog;
        this.timer = timer;
        this.ownThreads = ownThreads;
    }

    @Override
    public @Nullable String described(Waiter waiter) {
        Known wait = known.get(waiter);
        return wait == null ? null : wait.circle;
    }

    @Override
    public void waitedLong(String lockName, List<Waiter> waiters, Busy refusal) {
        String holder = refusal.holder();
        if (holder == null) {
            return;
        }
        for (Waiter waiter : waiters) {
            if (waiter.mayBlock()) {
                reported.put(waiter, new Wait(waiter, lockName, holder));
            }
        }
        searchSoon();
    }

    private void searchSoon() {
        if (!reported.isEmpty() && searching.compareAndSet(false, true)) {
            timer.after(GATHERING, () -> ownThreads.execute(this::search));
        }
    }

    private void search() {
        List<Wait> waits = List.copyOf(reported.values());
        waits.forEach(wait -> reported.remove(wait.waiter(), wait));
        Map<Thread, List<HeldLease>> holds = holds(waits);
        step(
                waits.stream()
                        .filter(wait -> holds.containsKey(wait.thread()))
                        .collect(Collectors.toCollection(ArrayDeque::new)),
                holds);
    }

    /** Returns what the threads of these waits hold alone. */
    private Map<Thread, List<HeldLease>> holds(List<Wait> waits) {
        Set<Thread> threads = waits.stream().map(Wait::thread).collect(Collectors.toSet());
        return watchdog.held()
                .filter(lease -> lease.isKeptByThread()
                        && threads.contains(lease.thread())
                        && !KindTraits.of(lease.kind()).isHeldBySeveral())
                .collect(Collectors.groupingBy(HeldLease::thread));
    }

    private void step(Queue<Wait> waits, Map<Thread, List<HeldLease>> holds) {
        try {
            for (int i = 0; i < WAITS_IN_A_STEP && !waits.isEmpty(); i++) {
                Wait wait = waits.remove();
                look(wait, holds.getOrDefault(wait.thread(), List.of()));
            }
        } catch (RuntimeException closed) {
            LOG.log(Level.DEBUG, "No deadlock could be looked for", closed);
            waits.clear();
        }
        if (waits.isEmpty()) {
            searching.set(false);
            searchSoon();
        } else {
            timer.after(BETWEEN_STEPS, () -> ownThreads.execute(() -> step(waits, holds)));
        }
    }

    private void look(Wait wait, List<HeldLease> found) {
        List<HeldLease> holds = found.stream().filter(HeldLease::isHeld).toList();
        if (wait.waiter().isDone() || holds.isEmpty()) {
            return;
        }
        Known about = write(wait, holds);
        follow(wait.holder(), new ArrayList<>()).thenAccept(notes -> decide(wait, about, holds, notes));
    }

    /** Writes a note beside each hold. The notes are deleted when the wait ends, with its outcome. */
    private Known write(Wait wait, List<HeldLease> holds) {
        Waiter waiter = wait.waiter();
        Note note =
                new Note(wait.holder(), clientName, LogText.escape(wait.thread().getName()), wait.lockName());
        List<String> beside = holds.stream()
                .map(hold -> keys.client(hold.owner()))
                .limit(MOST_NOTES)
                .toList();
        beside.forEach(key -> gateway.command("SET", List.of(key), note.text(), "PX", NOTE_MILLIS));
        Known fresh = new Known();
        Known before = known.putIfAbsent(waiter, fresh);
        if (before != null) {
            return before;
        }
        waiter.whenComplete((outcome, failure) -> {
            known.remove(waiter);
            beside.forEach(key -> gateway.command("DEL", List.of(key)));
        });
        return fresh;
    }

    /** Reads the note beside a hold, then the note beside the hold for which that one's holder waits, and so on. Usually, the first one is missing. */
    private CompletableFuture<List<Note>> follow(String owner, List<Note> notes) {
        return gateway.command("GET", List.of(keys.client(owner)))
                .thenApply(answer -> (String) answer.get(0))
                .exceptionally(unknown -> null)
                .thenCompose(text -> {
                    Note note = text == null ? null : Note.parse(text);
                    if (note == null || notes.contains(note) || notes.size() == MOST_NOTES) {
                        return CompletableFuture.completedFuture(notes);
                    }
                    notes.add(note);
                    return follow(note.holder(), notes);
                });
    }

    /** Looks for one of the waiter's own holds among those that the notes lead to. */
    private void decide(Wait wait, Known about, List<HeldLease> holds, List<Note> notes) {
        if (wait.waiter().isDone()) {
            return;
        }
        Set<String> own = holds.stream().map(HeldLease::owner).collect(Collectors.toSet());
        String thread = "thread '" + LogText.escape(wait.thread().getName()) + "'";
        StringBuilder circle = new StringBuilder(thread + waitsFor(wait.lockName()));
        String next = wait.holder();
        for (Note note : notes) {
            if (own.contains(next)) {
                break;
            }
            circle.append(", held by thread '" + LogText.escape(note.thread) + "' of '" + LogText.escape(note.client)
                    + "', which" + waitsFor(note.lockName));
            next = note.holder;
        }
        String found = own.contains(next) ? circle.append(", held by " + thread).toString() : null;
        about.circle = found;
        if (found != null && about.logged.add(found)) {
            LOG.log(
                    Level.WARNING,
                    "Deadlock: " + found + ". None of them goes on before a wait time or a lease ends. Acquire these"
                            + " locks as one, or always in the same order");
        }
    }

    private static String waitsFor(String lockName) {
        return " waits for lock '" + LogText.escape(lockName) + "'";
    }
}
