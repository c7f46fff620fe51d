package dev.holdfast.lock.chaos;

import dev.holdfast.lock.chaos.Request.Way;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/** Wants a lock, writes under it, and wants the next. Tells its journal before and after each step. */
final class WorkerThread implements Runnable {

    static final List<String> PLAIN = List.of("{chaos}a", "{chaos}b");
    static final String FAIR = "chaos-fair";
    static final String READ_WRITE = "chaos-rw";
    static final String QUORUM = "chaos-quorum-";

    private final LockLibrary library;
    private final LockLibrary.Name name;
    private final boolean quorum;
    private final Journal journal;
    private final Journal losses;
    private final Random random;
    private final AtomicBoolean over;
    private long number;

    WorkerThread(
            LockLibrary library,
            LockLibrary.Name name,
            boolean quorum,
            Journal journal,
            Journal losses,
            long firstNumber,
            long seed,
            AtomicBoolean over) {
        this.library = library;
        this.name = name;
        this.quorum = quorum;
        this.journal = journal;
        this.losses = losses;
        this.number = firstNumber;
        this.random = new Random(seed);
        this.over = over;
    }

    @Override
    public void run() {
        while (!over.get()) {
            Request request = draw(++number);
            journal.tell("ask " + request.number() + " " + request.use() + " " + String.join(",", request.locks()) + " "
                    + request.patience().toNanos() + " " + System.nanoTime() + " " + request.way());
            LockLibrary.Answer answer = library.acquire(request);
            long now = System.nanoTime();
            if (answer instanceof LockLibrary.Acquired acquired) {
                work(request, acquired.hold(), now);
            } else if (answer instanceof LockLibrary.NotAcquired not) {
                journal.add("not " + request.number() + " " + not.ending() + " " + now);
            }
        }
        journal.flush();
    }

    private void work(Request request, Hold hold, long acquiredAt) {
        long token = hold.token();
        boolean shared = request.use().isShared();
        // A writer's first write carries this line and, like the next question, ends what was added before it.
        String got = "got " + request.number() + " " + token + " " + acquiredAt;
        if (shared) {
            journal.tell(got);
        } else {
            journal.add(got);
        }
        int micros = holdMicros();
        long end = acquiredAt + TimeUnit.MICROSECONDS.toNanos(micros);
        long heldAt = 0;
        long goneAt = 0;
        while (true) {
            // Read before the question: what it answers for later holds for then.
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
            // The last question and write come after the last pause, as the end of a job's work does.
            if (before - end > 0) {
                break;
            }
            LockSupport.parkNanos(random.nextInt(Math.max(200_000, micros * 10)));
        }
        String free = "free " + request.number() + " " + heldAt + " " + goneAt + " " + System.nanoTime();
        // Nothing but this line knows how long a reader held, even if it is killed in its release.
        if (shared) {
            journal.tell(free);
        } else {
            journal.add(free);
        }
        Ending ending = hold.release();
        journal.add("done " + request.number() + " " + ending + " " + System.nanoTime());
    }

    /** Most are very short. At most times, though, one of the locks has a holder that faults strike in the middle and that renews. */
    private int holdMicros() {
        int draw = random.nextInt(1_500);
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
            return name == LockLibrary.Name.HOLDFAST ? Use.QUORUM : Use.PLAIN;
        }
        if (name != LockLibrary.Name.HOLDFAST) {
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
        if (name == LockLibrary.Name.HOLDFAST) {
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
