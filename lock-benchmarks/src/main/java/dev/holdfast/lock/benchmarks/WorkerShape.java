package dev.holdfast.lock.benchmarks;

import dev.holdfast.lock.LockKind;

/**
 * What a worker is made of.
 *
 * @param library whose clients
 * @param kind the kind of the one lock that all want
 * @param clients how many clients
 * @param threads how many threads in each client
 * @param work what each thread does
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
