package dev.holdfast.lock.benchmarks;

import java.util.concurrent.locks.Lock;

/** The work that each thread of a worker does with its lock until it is interrupted. */
enum Work {
    /** Locks and unlocks without a pause. */
    CYCLE {
        @Override
        void step(Lock lock, WorkerThreads threads, int thread) throws InterruptedException {
            lock.lockInterruptibly();
            try {
                threads.enter();
                threads.leave();
                threads.count(thread);
            } finally {
                lock.unlock();
            }
        }
    },

    /** Locks and unlocks without a pause. Each thread has its own lock. */
    CYCLE_ALONE {
        @Override
        void step(Lock lock, WorkerThreads threads, int thread) throws InterruptedException {
            lock.lockInterruptibly();
            try {
                threads.count(thread);
            } finally {
                lock.unlock();
            }
        }
    },

    /** Locks three deep and unlocks without a pause. Each thread has its own lock. */
    CYCLE_THREE_DEEP {
        @Override
        void step(Lock lock, WorkerThreads threads, int thread) throws InterruptedException {
            deep(lock, 3);
            threads.count(thread);
        }
    },

    /** Locks, works for 50 ms and unlocks. Each thread has its own lock. */
    CYCLE_OF_50_MS {
        @Override
        void step(Lock lock, WorkerThreads threads, int thread) throws InterruptedException {
            lock.lockInterruptibly();
            try {
                // The sleep represents the work.
                Thread.sleep(50);
                threads.count(thread);
            } finally {
                lock.unlock();
            }
        }
    },

    /** Locks and unlocks without a pause, and measures how long it takes to get the lock from the other process. */
    TURNS {
        @Override
        void step(Lock lock, WorkerThreads threads, int thread) throws InterruptedException {
            measured(lock, threads, thread, 0);
        }
    },

    /** Holds the lock until the other process is certainly asleep, releases it, and waits until the other process has acquired it. */
    PING_PONG {
        @Override
        void step(Lock lock, WorkerThreads threads, int thread) throws InterruptedException {
            measured(lock, threads, thread, 10);
            while (threads.ledger().lastProcess() == threads.process()) {
                // The loop ends when the other process has the lock, and its time was measured.
                Thread.sleep(1);
            }
        }
    },

    /** No work: the client holds locks and waits without threads. Its JVM keeps no buffers, so that its heap contains only its locks. */
    NONE {
        @Override
        void step(Lock lock, WorkerThreads threads, int thread) {
            throw new UnsupportedOperationException();
        }
    },

    /** Acquires the lock once, and holds it until all threads are told to leave. */
    STAY {
        @Override
        void step(Lock lock, WorkerThreads threads, int thread) throws InterruptedException {
            lock.lockInterruptibly();
            try {
                threads.count(thread);
                threads.stay();
            } finally {
                lock.unlock();
            }
            threads.left();
            Thread.sleep(Long.MAX_VALUE);
        }
    };

    private static void measured(Lock lock, WorkerThreads threads, int thread, int millis) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long now = System.nanoTime();
            long left = threads.ledger().leftNanos();
            if (threads.enter() && left != 0) {
                threads.sample(now - left);
            }
            threads.count(thread);
            if (millis > 0) {
                // The time that the other process needs to fall asleep.
                Thread.sleep(millis);
            }
        } finally {
            threads.leave();
            lock.unlock();
        }
    }

    private static void deep(Lock lock, int levels) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            if (levels > 1) {
                deep(lock, levels - 1);
            }
        } finally {
            lock.unlock();
        }
    }

    abstract void step(Lock lock, WorkerThreads threads, int thread) throws InterruptedException;
}
