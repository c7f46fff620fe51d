package dev.holdfast.lock.benchmarks;

/**
 * Those who want one lock.
 *
 * @param processes how many JVMs they are divided among
 * @param clients how many clients, each with connections of its own
 * @param threads how many threads in each client
 */
record Crowd(int processes, int clients, int threads) {

    private static final int CLIENTS_OF_A_JVM = 250;

    /** One thread in each client, and as few JVMs as can carry the clients. */
    static Crowd ofClients(int clients) {
        return new Crowd(Math.max(2, (clients + CLIENTS_OF_A_JVM - 1) / CLIENTS_OF_A_JVM), clients, 1);
    }

    int size() {
        return clients * threads;
    }
}
