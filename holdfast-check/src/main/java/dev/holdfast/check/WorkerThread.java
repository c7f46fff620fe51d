package dev.holdfast.check;

import dev.holdfast.check.Request.Way;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/** Acquires a lock, writes while it holds the lock, and continues with the next lock. Reports each step to its journal before and after it. */
final class WorkerThread implements Runnable {

    static final List<String> PLAIN = List.of("{chaos}a", "{chaos}b");
    static final String FAIR = "chaos-fair";
    static final String READ_WRITE = "chaos-rw";
    static final String QUORUM = "chaos-quorum-";

    private static final int LONGEST_UNRENEWED_MICROS = (int) TimeUnit.NANOSECONDS.toMicros(Terms.LEASE.toNanos() / 2);

    private final WorkerLocks library;
    private final boolean quorum;
    private final Journal journal;
    private final Journal losses;
    private final Random random;
    private final AtomicBoolean over;
    private long number;

    WorkerThread(
            WorkerLocks library,
            boolean quorum,
            Journal journal,
            Journal losses,
            long firstNumber,
            long seed,
            AtomicBoolean over) {
        this.library = library;
        this.quorum = quorum;
        this.journal = journal;
        this.losses = losses;
        this.number = firstNumber;
        this.random = new Random(seed);
        this.over = over;
    }

    @Override
    public void run() {
        long next = System.nanoTime();
        while (!over.get()) {
            awaitTurn(next);
            next = System.nanoTime() + WorkerSettings.PRESENT.paceNanos();
            Request request = draw(++number);
            journal.tell("ask " + request.number() + " " + request.use() + " " + String.join(",", request.locks()) + " "
                    + request.patience().toNanos() + " " + System.nanoTime() + " " + request.way());
            WorkerLocks.Answer answer = library.acquire(request);
            long now = System.nanoTime();
            if (answer instanceof WorkerLocks.Acquired acquired) {
                work(request, acquired.hold(), now);
            } else if (answer instanceof WorkerLocks.NotAcquired not) {
                journal.add("not " + request.number() + " " + not.ending() + " " + now);
            }
        }
        journal.flush();
    }

    /** Waits, so that a server with other users is not asked as often as it can answer. */
    private static void awaitTurn(long at) {
        for (long left = at - System.nanoTime(); left > 0; left = at - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    private void work(Request request, Hold hold, long acquiredAt) {
        long token = hold.token();
        boolean shared = request.use().isShared();
        // A writer's line is not sent yet. The writer's first write, or its next request, sends this line and all lines
        // that were added before it.
        String got = "got " + request.number() + " " + token + " " + acquiredAt;
        if (shared) {
            journal.tell(got);
        } else {
            journal.add(got);
        }
        int micros = library.renews() ? holdMicros() : Math.min(holdMicros(), LONGEST_UNRENEWED_MICROS);
        long end = acquiredAt + TimeUnit.MICROSECONDS.toNanos(micros);
        long heldAt = 0;
        long goneAt = 0;
        while (true) {
            // The time is read before the check. A lock that is held at the check was also held at this earlier time.
            long before = System.nanoTime();
            if (!hold.isHeld()) {
                goneAt = System.nanoTime();
                break;
            }
            heldAt = before;
            if (!shared) {
                for (String lock : request.locks()) {
                    journal.write(request.number(), lock, token, heldAt);
                }
            }
            // The last check and write come after the last pause, like the end of a job's work.
            if (before - end > 0) {
                break;
            }
            LockSupport.parkNanos(random.nextInt(Math.max(200_000, micros * 10)));
        }
        String free = "free " + request.number() + " " + heldAt + " " + goneAt + " " + System.nanoTime();
        // A reader makes no writes, so only this line shows how long it held the lock. The line is sent at once, in
        // case the process is killed during the release.
        if (shared) {
            journal.tell(free);
        } else {
            journal.add(free);
        }
        Ending ending = hold.release();
        journal.add("done " + request.number() + " " + ending + " " + System.nanoTime());
    }

    /**
     * Draws the length of a hold. Most holds are very short. At most times, however, one of the locks has a long hold, which is renewed and during
     * which faults occur.
     */
    private int holdMicros() {
        int draw = random.nextInt(WorkerSettings.PRESENT.paceNanos() > 0 ? 100 : 1_500);
        if (draw == 0) {
            return 300_000 + random.nextInt(2_700_000);
        }
        return draw < 10 ? random.nextInt(30_000) : random.nextInt(300);
    }

    private Request draw(long attempt) {
        Use use = use();
        return new Request(
                attempt,
                use,
                locks(use),
                Duration.ofMillis(random.nextInt(random.nextInt(3) == 0 ? 400 : 25)),
                way(use),
                random.nextInt(3_000),
                at -> losses.tell("lost " + attempt + " " + at));
    }

    private Use use() {
        if (quorum) {
            return library.hasAllKinds() ? Use.QUORUM : Use.PLAIN;
        }
        if (!library.hasAllKinds()) {
            return Use.PLAIN;
        }
        int draw = random.nextInt(100);
        return draw < 45
                ? Use.PLAIN
                : draw < 65 ? Use.FAIR : draw < 80 ? Use.READ : draw < 90 ? Use.WRITE : Use.SEVERAL;
    }

    private List<String> locks(Use use) {
        return switch (use) {
            case PLAIN -> List.of(plain());
            case FAIR -> List.of(FAIR);
            case READ, WRITE -> List.of(READ_WRITE);
            case SEVERAL -> PLAIN;
            case QUORUM -> List.of(QUORUM + random.nextInt(3));
        };
    }

    private String plain() {
        if (library.hasAllKinds()) {
            return PLAIN.get(random.nextInt(3) / 2);
        }
        return "chaos-" + random.nextInt(4);
    }

    private Way way(Use use) {
        int draw = random.nextInt(100);
        if (use == Use.QUORUM || use == Use.SEVERAL) {
            return draw < 90 ? Way.LEASE : Way.FIXED_LEASE;
        }
        return draw < 70
                ? Way.LEASE
                : draw < 80 ? Way.FIXED_LEASE : draw < 90 ? Way.REENTRANT : draw < 95 ? Way.CANCELED : Way.INTERRUPTED;
    }
}
