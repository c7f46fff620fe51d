package dev.holdfast.lock.benchmarks;

/**
 * The contenders for one lock.
 *
 * @param processes the number of JVMs among which the clients are divided
 * @param clients the number of clients, each with its own connections
 * @param threads the number of threads in each client
 */
record Crowd(int processes, int clients, int threads) {

    private static final int CLIENTS_OF_A_JVM = 250;

    /** Returns a crowd with one thread in each client. It has as few JVMs as can run that many clients, but at least two. */
    static Crowd ofClients(int clients) {
        return new Crowd(Math.max(2, (clients + CLIENTS_OF_A_JVM - 1) / CLIENTS_OF_A_JVM), clients, 1);
    }

    int size() {
        return clients * threads;
    }
}
