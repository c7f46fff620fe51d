package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.LogText;
import dev.holdfast.lock.internal.background.LockLog;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.KindTraits;
import dev.holdfast.lock.internal.lease.Watchdog;
import dev.holdfast.lock.internal.protocol.LockKeys;
import dev.holdfast.lock.internal.waiting.Answer.Busy;
import dev.holdfast.lock.internal.waiting.Waiter;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Finds circles of threads that wait for each other's locks, in one client or in several. A blocked thread that waits for long and holds other locks
 * writes down in Redis, beside each of its holds, for which holder it waits. Then it follows such notes from the holder that it waits for. A circle is
 * found if they lead to one of its own holds.
 *
 * <p>A note belongs to a grant. So a holder that does not wait, and a grant that has changed hands, have none. Shared locks and semaphores have no notes
 * either, because another holder may let the waiter in. A note ends with the wait, or by its time to live.
 */
final class Deadlocks {

    private static final LockLog LOG = LockLog.LOG;

    /** Longer than the time between two checks of a wait, which also depends on the poll interval. */
    private static final String NOTE_MILLIS = "15000";

    private static final int MOST_NOTES = 10;

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

    private final RedisGateway gateway;
    private final LockKeys keys;
    private final String clientName;
    private final Watchdog watchdog;
    /** The waiters that have written notes. */
    private final Set<Waiter> written = ConcurrentHashMap.newKeySet();

    private final Map<Waiter, String> circles = new ConcurrentHashMap<>();

    Deadlocks(RedisGateway gateway, LockKeys keys, String clientName, Watchdog watchdog) {
        this.gateway = gateway;
        this.keys = keys;
        this.clientName = clientName;
        this.watchdog = watchdog;
    }

    /** Returns the circle that a waiter is in, or null. */
    @Nullable
    String of(Waiter waiter) {
        return circles.get(waiter);
    }

    /** Called by the room of a lock with waiters that have waited for long. */
    void check(String lockName, List<Waiter> waiters, Busy refusal) {
        try {
            check(lockName, waiters, refusal.holder());
        } catch (RuntimeException closed) {
            // The room must go on.
            LOG.log(Level.DEBUG, "No deadlock could be looked for", closed);
        }
    }

    private void check(String lockName, List<Waiter> waiters, @Nullable String holder) {
        List<Waiter> blocked = waiters.stream().filter(Waiter::mayBlock).toList();
        if (holder == null || blocked.isEmpty()) {
            return;
        }
        Map<Thread, List<HeldLease>> holds = holds(blocked);
        List<Waiter> holders = blocked.stream()
                .filter(waiter -> holds.containsKey(threadOf(waiter)))
                .toList();
        if (holders.isEmpty()) {
            return;
        }
        for (Waiter waiter : holders) {
            Thread thread = threadOf(waiter);
            Note note = new Note(holder, clientName, LogText.escape(thread.getName()), lockName);
            write(waiter, holds.getOrDefault(thread, List.of()), note);
        }
        follow(holder, new ArrayList<>())
                .thenAccept(notes -> holders.forEach(waiter ->
                        decide(waiter, lockName, holder, holds.getOrDefault(threadOf(waiter), List.of()), notes)));
    }

    private static Thread threadOf(Waiter waiter) {
        return waiter.terms().thread();
    }

    /** Returns what the threads of these waiters hold alone. */
    private Map<Thread, List<HeldLease>> holds(List<Waiter> blocked) {
        Set<Thread> threads = blocked.stream().map(Deadlocks::threadOf).collect(Collectors.toSet());
        return watchdog.held()
                .filter(lease -> threads.contains(lease.thread())
                        && lease.hasThread()
                        && lease.isHeld()
                        && !KindTraits.of(lease.kind()).isHeldBySeveral())
                .collect(Collectors.groupingBy(HeldLease::thread));
    }

    /** Writes a note beside each hold. The notes are deleted when the wait ends, with its outcome. */
    private void write(Waiter waiter, List<HeldLease> holds, Note note) {
        List<String> beside = holds.stream()
                .map(hold -> keys.client(hold.owner()))
                .limit(MOST_NOTES)
                .toList();
        beside.forEach(key -> gateway.command("SET", List.of(key), note.text(), "PX", NOTE_MILLIS));
        if (written.add(waiter)) {
            waiter.whenComplete((outcome, failure) -> {
                written.remove(waiter);
                circles.remove(waiter);
                beside.forEach(key -> gateway.command("DEL", List.of(key)));
            });
        }
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
    private void decide(Waiter waiter, String lockName, String holder, List<HeldLease> holds, List<Note> notes) {
        Set<String> own = holds.stream().map(HeldLease::owner).collect(Collectors.toSet());
        String thread = "thread '" + LogText.escape(threadOf(waiter).getName()) + "'";
        StringBuilder circle = new StringBuilder(thread + waitsFor(lockName));
        String next = holder;
        for (Note note : notes) {
            if (own.contains(next)) {
                break;
            }
            circle.append(", held by thread '" + LogText.escape(note.thread) + "' of '" + LogText.escape(note.client)
                    + "', which" + waitsFor(note.lockName));
            next = note.holder;
        }
        if (!own.contains(next)) {
            circles.remove(waiter);
        } else if (circles.put(waiter, circle.append(", held by " + thread).toString()) == null) {
            LOG.log(
                    Level.WARNING,
                    "Deadlock: " + circle + ". None of them goes on before a wait time or a lease ends. Acquire these"
                            + " locks as one, or always in the same order");
        }
        if (waiter.isDone()) {
            circles.remove(waiter);
        }
    }

    private static String waitsFor(String lockName) {
        return " waits for lock '" + LogText.escape(lockName) + "'";
    }
}
