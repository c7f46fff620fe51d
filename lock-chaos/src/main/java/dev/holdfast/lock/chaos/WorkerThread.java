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
    static final String QUORUM = "chaos-quorum";

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
                journal.tell("not " + request.number() + " " + not.ending() + " " + now);
            }
        }
    }

    private void work(Request request, Hold hold, long acquiredAt) {
        long token = hold.token();
        journal.tell("got " + request.number() + " " + token + " " + acquiredAt);
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
            for (String lock : request.locks()) {
                if (!request.use().isShared()) {
                    journal.write(request.number(), lock, token, heldAt);
                }
            }
            // The last question and write come after the last pause, as the end of a job's work does.
            if (before - end > 0) {
                break;
            }
            LockSupport.parkNanos(random.nextInt(Math.max(400_000, micros * 10)));
        }
        journal.tell("free " + request.number() + " " + heldAt + " " + goneAt + " " + System.nanoTime());
        Ending ending = hold.release();
        journal.tell("done " + request.number() + " " + ending + " " + System.nanoTime());
    }

    /** Most are short. One in 150 lasts for up to three leases, so that faults strike it in the middle. */
    private int holdMicros() {
        return random.nextInt(150) == 0 ? 300_000 + random.nextInt(2_700_000) : random.nextInt(2_000);
    }

    private Request draw(long attempt) {
        Use use = use();
        return new Request(
                attempt,
                use,
                locks(use),
                Duration.ofMillis(random.nextInt(400)),
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
            case QUORUM -> List.of(QUORUM);
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
