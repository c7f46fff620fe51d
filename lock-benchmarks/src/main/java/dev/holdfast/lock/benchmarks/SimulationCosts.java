package dev.holdfast.lock.benchmarks;

/**
 * What the simulated fleet's steps cost, in µs.
 *
 * @param ask a script that asks for the lock
 * @param release a script that releases it, without its messages
 * @param message one message to one client
 * @param network one way between a client and Redis
 * @param client from the arrival of a message until the client's thread runs
 * @param poll how often a waiter asks without having been woken
 * @param pollOfHead the same for the first in line
 */
record SimulationCosts(
        double ask, double release, double message, double network, double client, double poll, double pollOfHead) {

    /** From {@code -Dcosts.ask=…} and so on. The defaults were measured on loopback, Redis 7.0, with {@code herd}. */
    static SimulationCosts ofProperties() {
        return new SimulationCosts(
                property("ask", 22),
                property("release", 28),
                property("message", 6),
                property("network", 250),
                property("client", 100),
                property("poll", 5_000_000),
                property("pollOfHead", 1_000_000));
    }

    private static double property(String name, double otherwise) {
        return Double.parseDouble(System.getProperty("costs." + name, String.valueOf(otherwise)));
    }
}
