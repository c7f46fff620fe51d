package dev.holdfast.check;

import dev.holdfast.lock.proxy.FaultProxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A server of somebody else, and a network of our own to it for each worker. Only the network and the workers are broken. */
final class CheckStage implements Stage {

    /** What breaks. */
    enum Phase {
        NETWORK,
        PROCESS,
        /** Nothing, except what the operator does to the server. */
        FAILOVER;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** One lasting fault in so many is longer than a lease: often, because a check is short and a user's server is not asked often. */
    private static final int LONG_ONE_IN = 3;

    private static final long LOCKS_END_MILLIS = Terms.LEASE.toMillis() * 5;

    private final Phase phase;
    private final RemoteServer server;
    private final WorkerSettings settings;
    private final List<FaultProxy> networks;
    private volatile @Nullable Registers registers;

    CheckStage(Phase phase, RemoteServer server, WorkerSettings settings) {
        this.phase = phase;
        this.server = server;
        this.settings = settings;
        this.networks = IntStream.range(0, Workers.COUNT)
                .mapToObj(i -> FaultProxy.to(server))
                .toList();
    }

    @Override
    public Address address(int worker) {
        return new Address(Address.Shape.SERVER, List.of(networks.get(worker).port()));
    }

    @Override
    public Map<String, String> environment(int worker) {
        return settings.environment();
    }

    @Override
    public List<Faults> faults(Workers workers, FaultLog log) {
        List<Faults> faults = new ArrayList<>();
        for (int i = 0; i < Workers.COUNT; i++) {
            switch (phase) {
                case NETWORK -> faults.add(new NetworkFaults(networks.get(i), List.of(), LONG_ONE_IN, i, log));
                case PROCESS -> faults.add(new ProcessFaults(workers, i, log));
                case FAILOVER -> {
                    // The operator causes it.
                }
            }
        }
        return faults;
    }

    @Override
    public void started(Registers registers) {
        this.registers = registers;
    }

    /** Returns how often locks were acquired so far. */
    long grants() {
        Registers present = registers;
        return present == null ? 0 : present.grants();
    }

    @Override
    public void heal() {
        networks.forEach(FaultProxy::heal);
    }

    /** Looks for locks, whose keys contain the prefix. Nothing is known if the user may not look. */
    @Override
    public List<String> leftBehind() {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LOCKS_END_MILLIS);
        List<String> keys = server.keys("*" + settings.prefix() + "*");
        while (keys != null && !keys.isEmpty() && System.nanoTime() - end < 0) {
            try {
                // Locks of killed workers end without telling anybody.
                TimeUnit.MILLISECONDS.sleep(100);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return List.of();
            }
            keys = server.keys("*" + settings.prefix() + "*");
        }
        return keys == null ? List.of() : keys.stream().map(this::described).toList();
    }

    private String described(String key) {
        long life = server.lifeOf(key);
        return "key " + key + (life < 0 ? " without an expiry" : " for " + life + " ms more");
    }

    @Override
    public void close() {
        networks.forEach(FaultProxy::close);
    }
}
