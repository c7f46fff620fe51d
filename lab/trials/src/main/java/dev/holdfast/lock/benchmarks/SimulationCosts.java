package dev.holdfast.lock.benchmarks;

/**
 * The costs of the simulated fleet's steps, in µs.
 *
 * @param ask a script that requests a lock and gets it
 * @param busy the additional cost if another instance has the lock
 * @param release a script that releases a lock without waiters
 * @param wakes the additional cost if there are waiters
 * @param message one message to one client
 * @param idle the additional cost of a command if the server was idle; commands that arrive together are read together
 * @param network one way between a client and Redis
 * @param client the time from the arrival of a message until the client's thread runs
 * @param poll the interval at which a waiter asks without a message
 * @param pollOfHead the same for the first waiter of the queue
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

    /**
     * Returns the costs if each release wakes one waiter. They come from {@code -Dcosts.ask=…} and so on. The defaults were measured on loopback,
     * Redis 7.0, with {@code herd} and {@code own}.
     */
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

    /** Returns the costs if each release wakes all waiters, as measured before there was a queue. */
    static SimulationCosts ofAllWoken() {
        SimulationCosts one = ofOneWoken();
        return new SimulationCosts(10.5, 6.5, 10.5, 8.5, 5, 9, one.network, one.client, 1_000_000, 1_000_000);
    }

    private static double property(String name, double otherwise) {
        return Double.parseDouble(System.getProperty("costs." + name, String.valueOf(otherwise)));
    }
}
