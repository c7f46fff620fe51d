package dev.holdfast.lock.benchmarks;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.trials.LockLibrary;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;

/** Lets clients of Holdfast and Redisson contend for one lock. Measures how many turns each library has, and how long a thread waits. */
final class Beside implements Benchmark {

    private static final int THREADS = 3;
    private static final long[] HOLDS_MILLIS = {1, 20};
    private static final String PARTS = System.getProperty("parts", "");

    /** The kinds of locks that a client's threads acquire. */
    private enum Wanted {
        PLAIN("plain", LockKind.REENTRANT, LockKind.REENTRANT, 0),
        FAIR("fair", LockKind.FAIR, LockKind.FAIR, 0),
        WRITE("write", LockKind.WRITE, LockKind.WRITE, 0),
        /** Threads pause in this mode. Without pauses, Redisson's readers would overlap all the time, so that no writer gets the lock. */
        MIXED("mixed", LockKind.WRITE, LockKind.READ, 10);

        private final String label;
        private final LockKind ofFirst;
        private final LockKind ofOthers;
        private final int holdsOfAPause;

        Wanted(String label, LockKind ofFirst, LockKind ofOthers, int holdsOfAPause) {
            this.label = label;
            this.ofFirst = ofFirst;
            this.ofOthers = ofOthers;
            this.holdsOfAPause = holdsOfAPause;
        }

        LockKind of(int thread) {
            return thread == 0 ? ofFirst : ofOthers;
        }
    }

    @Override
    public String what() {
        return "N clients of Holdfast and N of Redisson (-Dsizes), three threads in each, want one lock (-Dparts=plain,fair,write,mixed): turns, longest wait";
    }

    @Override
    public void run(Bench bench, Table table) throws InterruptedException {
        for (Wanted wanted : Wanted.values()) {
            if (!PARTS.isEmpty() && !List.of(PARTS.split(",", -1)).contains(wanted.label)) {
                continue;
            }
            for (long hold : HOLDS_MILLIS) {
                for (int clients : bench.sizes(2)) {
                    bench.interleave(List.of(
                            new Contest(bench, table, wanted, hold, clients, clients),
                            new Contest(bench, table, wanted, hold, 2 * clients, 0),
                            new Contest(bench, table, wanted, hold, 0, 2 * clients)));
                }
            }
        }
    }

    /** The turns of one library's threads. */
    private static final class Turns {
        final AtomicLong count = new AtomicLong();
        final AtomicLong longestWait = new AtomicLong();

        /** Acquires the lock repeatedly. A wait that the end of the round cuts short is counted, too. */
        void take(Lock lock, long hold, long pause, AtomicBoolean end) {
            while (!end.get()) {
                long began = System.nanoTime();
                lock.lock();
                try {
                    longestWait.accumulateAndGet(System.nanoTime() - began, Math::max);
                    if (!end.get()) {
                        count.incrementAndGet();
                        LockSupport.parkNanos(hold);
                    }
                } finally {
                    lock.unlock();
                }
                if (pause > 0) {
                    LockSupport.parkNanos(pause);
                }
            }
        }
    }

    private static final class Contest implements Lane {

        private final Bench bench;
        private final Table.Row row;
        private final Wanted wanted;
        private final long hold;
        private final int ours;
        private final int theirs;

        Contest(Bench bench, Table table, Wanted wanted, long holdMillis, int ours, int theirs) {
            this.bench = bench;
            this.wanted = wanted;
            this.hold = TimeUnit.MILLISECONDS.toNanos(holdMillis);
            this.ours = ours;
            this.theirs = theirs;
            this.row = table.row(
                    wanted.label + ", " + holdMillis + " ms, " + ours + " of Holdfast, " + theirs + " of Redisson");
        }

        @Override
        public void round(int number) throws InterruptedException {
            String name = row.subject() + number;
            AtomicBoolean end = new AtomicBoolean();
            Turns holdfast = new Turns();
            Turns redisson = new Turns();
            List<Contender> clients = open(LockLibrary.HOLDFAST, ours);
            clients.addAll(open(LockLibrary.REDISSON, theirs));
            List<Thread> threads = new ArrayList<>();
            for (int client = 0; client < clients.size(); client++) {
                Turns turns = client < ours ? holdfast : redisson;
                for (int thread = 0; thread < THREADS; thread++) {
                    Lock lock = clients.get(client).lock(name, wanted.of(thread));
                    threads.add(ContenderThread.start(() -> turns.take(lock, hold, wanted.holdsOfAPause * hold, end)));
                }
            }
            long began = System.nanoTime();
            bench.measure();
            end.set(true);
            double seconds = (System.nanoTime() - began) / 1e9;
            for (Thread thread : threads) {
                thread.join();
            }
            clients.forEach(Contender::close);
            add(LockLibrary.HOLDFAST, ours, seconds, holdfast);
            add(LockLibrary.REDISSON, theirs, seconds, redisson);
            if (ours > 0 && theirs > 0) {
                row.add(
                        "Redisson's turns, %",
                        100.0 * redisson.count.get() / (holdfast.count.get() + redisson.count.get()));
            }
        }

        private List<Contender> open(LockLibrary library, int clients) {
            List<Contender> opened = new ArrayList<>();
            for (int i = 0; i < clients; i++) {
                opened.add(Contender.open(library, bench.server().port()));
            }
            return opened;
        }

        private void add(LockLibrary library, int clients, double seconds, Turns turns) {
            if (clients > 0) {
                row.add(library.label() + ", turns/s", turns.count.get() / seconds)
                        .add(library.label() + ", longest wait, ms", turns.longestWait.get() / 1e6);
            }
        }

        @Override
        public Table.Row row() {
            return row;
        }

        @Override
        public void close() {
            // There is nothing to close, because each round closes its clients.
        }
    }
}
