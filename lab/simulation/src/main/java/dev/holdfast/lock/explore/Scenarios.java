package dev.holdfast.lock.explore;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.explore.Scenario.Client;
import dev.holdfast.lock.explore.Scenario.Fault;
import dev.holdfast.lock.explore.Scenario.Middle;
import dev.holdfast.lock.explore.Scenario.Use;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The scenarios that are explored. */
final class Scenarios {

    private static final Use PLAIN = Use.of(LockKind.REENTRANT);
    private static final Use FAIR = Use.of(LockKind.FAIR);
    private static final Use KEPT_FAIR = FAIR.leased(500).with(Middle.KEEP);
    private static final Use READ = Use.of(LockKind.READ);
    private static final Use WRITE = Use.of(LockKind.WRITE);
    private static final Use PERMIT = Use.of(LockKind.SEMAPHORE);
    private static final Use FAIR_PERMIT = Use.of(LockKind.FAIR_SEMAPHORE);
    private static final Use BOTH = Use.of("job", "second");

    private static final int GRACE_MILLIS = 2_400;

    private static final Map<String, Scenario> ALL = new LinkedHashMap<>();

    static {
        add("plain", clients(PLAIN, PLAIN));
        add("fair", clients(FAIR, FAIR));
        add("two writers", clients(WRITE, WRITE));
        add("a reader and a writer", clients(READ, WRITE));
        add("two readers", clients(READ, READ));
        add("one permit", clients(PERMIT, PERMIT));
        add("one permit in order", clients(FAIR_PERMIT, FAIR_PERMIT));
        add("two names", clients(BOTH, BOTH));
        add("two names and the first", clients(BOTH, PLAIN));
        add("two names and the second", clients(BOTH, PLAIN.named("second")));
        add("a record", clients(PLAIN.with(Middle.RECORD), PLAIN.with(Middle.RECORD)));
        add("a record in a fixed lease", clients(PLAIN.leased(1500).with(Middle.RECORD), PLAIN));
        add("an extension", clients(PLAIN.leased(1500).with(Middle.EXTEND), PLAIN));
        add("an extension of a renewed lease", clients(PLAIN.with(Middle.EXTEND)));
        add("a writer that extends, and a reader", clients(WRITE.with(Middle.EXTEND), READ));
        add("an extension of a writer's lease", clients(WRITE.with(Middle.EXTEND)));
        add("a minimum hold", clients(PLAIN.keptFor(2000), PLAIN));
        add("a minimum hold of a permit", clients(PERMIT.keptFor(600), PERMIT));
        add("a minimum hold of a writer", clients(WRITE.keptFor(2000), WRITE));
        add("a minimum hold of two names", clients(BOTH.keptFor(2000), PLAIN));
        add("a try", clients(PLAIN.once(), PLAIN));
        add("a holder that does not release", clients(PLAIN.leased(8000), PLAIN));
        add("a waiter that asks again", List.of(Client.of(KEPT_FAIR, FAIR), Client.of(FAIR)));
        add(
                "permits that end",
                List.of(
                        threads(
                                PERMIT.of(2).leased(500).with(Middle.KEEP),
                                PERMIT.of(2).leased(1500).with(Middle.KEEP)),
                        Client.of(PERMIT.of(2).once())));
        add(
                "permits of two lengths",
                clients(PERMIT.of(2).leased(4000), PERMIT.of(2).leased(1500)));
        add("two threads and a client", List.of(threads(PLAIN, PLAIN), Client.of(PLAIN)));
        add("two fair waiters of a client", List.of(Client.of(KEPT_FAIR), threads(FAIR, FAIR)));
        add(
                "two fair waiters for a permit",
                List.of(Client.of(FAIR_PERMIT.leased(500).with(Middle.KEEP)), threads(FAIR_PERMIT, FAIR_PERMIT)));
        add("two readers of a client and a writer", List.of(threads(READ, READ), Client.of(WRITE)));
        add("a writer, its client's reader and another", List.of(threads(WRITE, READ), Client.of(READ)));
        add(
                "a writer that reads, its client's writer, and a reader",
                List.of(threads(WRITE.with(Middle.READ), WRITE), Client.of(READ)));
        add("a writer that asks again", List.of(Client.of(WRITE, WRITE), Client.of(WRITE)));
        add(
                "three permits that end",
                List.of(new Client(
                        List.of(
                                List.of(permitKept(500), permitKept(2000)),
                                List.of(permitKept(1000), PERMIT.of(3).once()),
                                List.of(permitKept(2000))),
                        true)));
        add("a fair waiter and a try", clients(KEPT_FAIR, FAIR, FAIR.once()));
        add("again", List.of(Client.of(PLAIN, PLAIN), Client.of(PLAIN)));
        add("a client that does not hear", List.of(new Client(List.of(List.of(PLAIN)), false), Client.of(PLAIN)));
        add("three plain", clients(PLAIN, PLAIN, PLAIN));
        add("three fair", clients(FAIR, FAIR, FAIR));
        add("three for one permit", clients(PERMIT, PERMIT, PERMIT));
        add("a writer that reads", clients(WRITE.with(Middle.READ), READ));
        add("a writer and two readers", clients(WRITE, READ, READ));
        addWithGrace("plain, with a grace", clients(PLAIN, PLAIN));
        addWithGrace("fair, with a grace", clients(FAIR, FAIR));
        addWithGrace("two writers, with a grace", clients(WRITE, WRITE));
        addWithGrace("a reader and a writer, with a grace", clients(READ, WRITE));
        addWithGrace("one permit, with a grace", clients(PERMIT, PERMIT));
        addWithGrace("two names, with a grace", clients(BOTH, PLAIN));
        addWithGrace("a fixed lease, with a grace", clients(PLAIN.leased(1500).with(Middle.KEEP), PLAIN));
        addWithGrace("one holder, with a grace", clients(PLAIN.with(Middle.KEEP)));
        addWithGrace("again, with a grace", List.of(Client.of(PLAIN, PLAIN), Client.of(PLAIN)));
    }

    private Scenarios() {}

    private static void add(String name, List<Client> clients) {
        ALL.put(name, new Scenario(name, clients, 0, Set.of(), 0, 0));
    }

    private static void addWithGrace(String name, List<Client> clients) {
        ALL.put(name, new Scenario(name, clients, GRACE_MILLIS, Set.of(), 0, 0));
    }

    private static List<Client> clients(Use... uses) {
        return Arrays.stream(uses).map(Client::of).toList();
    }

    private static Client threads(Use... uses) {
        return new Client(Arrays.stream(uses).map(List::of).toList(), true);
    }

    private static Use permitKept(int millis) {
        return PERMIT.of(3).leased(millis).with(Middle.KEEP);
    }

    static Scenario named(String name) {
        Scenario found = ALL.get(name);
        if (found == null) {
            throw new IllegalArgumentException("There is no scenario '" + name + "'");
        }
        return found;
    }

    /** Returns the scenarios in which nothing goes wrong. */
    static List<Scenario> faultless(int moments) {
        return all(EnumSet.noneOf(Fault.class), 0, moments);
    }

    /** Returns the scenarios in which one of these things goes wrong at most so many times. */
    static List<Scenario> all(Set<Fault> faults, int mostFaults, int moments) {
        return ALL.values().stream()
                .filter(scenario ->
                        scenario.graceMillis() > 0 || faults.stream().noneMatch(Fault::isFailover))
                .map(scenario -> scenario.with(faults, mostFaults, moments))
                .toList();
    }
}
