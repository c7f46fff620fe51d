package dev.holdfast.lock.benchmarks;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.trials.LockLibrary;

/**
 * The composition of a worker.
 *
 * @param library the library of the clients
 * @param kind the kind of the lock that all threads acquire
 * @param clients the number of clients
 * @param threads the number of threads in each client
 * @param work the work of each thread
 */
record WorkerShape(LockLibrary library, LockKind kind, int clients, int threads, Work work) {

    WorkerShape withClients(int number) {
        return new WorkerShape(library, kind, number, threads, work);
    }

    String line() {
        return String.join(",", library.name(), kind.name(), "" + clients, "" + threads, work.name());
    }

    static WorkerShape parse(String line) {
        String[] parts = line.split(",", -1);
        return new WorkerShape(
                LockLibrary.valueOf(parts[0]),
                LockKind.valueOf(parts[1]),
                Integer.parseInt(parts[2]),
                Integer.parseInt(parts[3]),
                Work.valueOf(parts[4]));
    }
}
