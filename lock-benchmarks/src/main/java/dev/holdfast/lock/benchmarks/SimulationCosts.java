package dev.holdfast.lock.benchmarks;

/**
 * What the simulated fleet's steps cost, in µs.
 *
 * @param ask a script that asks for a lock and gets it
 * @param busy what it costs more where somebody else has the lock
 * @param release a script that releases a lock for which nobody waits
 * @param wakes what it costs more where somebody waits
 * @param message one message to one client
 * @param idle what a command costs more if the server had nothing to do: those that arrive together are read together
 * @param network one way between a client and Redis
 * @param client from the arrival of a message until the client's thread runs
 * @param poll how often a waiter asks without having been woken
 * @param pollOfHead the same for the first in line
 */
record SimulationCosts(
        double ask,
        double busy,
        double release,
        double wakes,
        double message,
        double idle,
        double network,
        double client,
        double poll,
        double pollOfHead) {

    /** Each release wakes one. From {@code -Dcosts.ask=…} and so on; the defaults were measured on loopback, Redis 7.0, with {@code herd} and {@code own}. */
    static SimulationCosts ofOneWoken() {
        return new SimulationCosts(
                property("ask", 13.5),
                property("busy", 10),
                property("release", 13.5),
                property("wakes", 20),
                property("message", 7),
                property("idle", 13),
                property("network", 250),
                property("client", 100),
                property("poll", 2_500_000),
                property("pollOfHead", 1_000_000));
    }

    /** Each release wakes all, as before there was a line: measured then. */
    static SimulationCosts ofAllWoken() {
        SimulationCosts one = ofOneWoken();
        return new SimulationCosts(10.5, 6.5, 10.5, 8.5, 5, 9, one.network, one.client, 1_000_000, 1_000_000);
    }

    private static double property(String name, double otherwise) {
        return Double.parseDouble(System.getProperty("costs." + name, String.valueOf(otherwise)));
    }
}
