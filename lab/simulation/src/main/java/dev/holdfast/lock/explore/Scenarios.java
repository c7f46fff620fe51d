package dev.holdfast.lock.explore;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.explore.Scenario.Client;
import dev.holdfast.lock.explore.Scenario.Fault;
import dev.holdfast.lock.explore.Scenario.Middle;
import dev.holdfast.lock.explore.Scenario.Use;
import java.util.ArrayList;
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
    private static final Use READ = Use.of(LockKind.READ);
    private static final Use WRITE = Use.of(LockKind.WRITE);
    private static final Use PERMIT = Use.of(LockKind.SEMAPHORE);
    private static final Use FAIR_PERMIT = Use.of(LockKind.FAIR_SEMAPHORE);
    private static final Use BOTH = Use.of("job", "second");

    /** The clients of each scenario, by the scenario's name. */
    private static final Map<String, List<Client>> BASIC = new LinkedHashMap<>();

    static {
        BASIC.put("plain", clients(PLAIN, PLAIN));
        BASIC.put("fair", clients(FAIR, FAIR));
        BASIC.put("two writers", clients(WRITE, WRITE));
        BASIC.put("a reader and a writer", clients(READ, WRITE));
        BASIC.put("two readers", clients(READ, READ));
        BASIC.put("one permit", clients(PERMIT, PERMIT));
        BASIC.put("one permit in order", clients(FAIR_PERMIT, FAIR_PERMIT));
        BASIC.put("two names", clients(BOTH, BOTH));
        BASIC.put("two names and one of them", clients(BOTH, PLAIN));
        BASIC.put("a record", clients(PLAIN.with(Middle.RECORD), PLAIN.with(Middle.RECORD)));
        BASIC.put("an extension", clients(PLAIN.leased(1500).with(Middle.EXTEND), PLAIN));
        BASIC.put("a minimum hold", clients(PLAIN.keptFor(2000), PLAIN));
        BASIC.put("a try", clients(PLAIN.once(), PLAIN));
        BASIC.put(
                "two threads and a client",
                List.of(new Client(List.of(List.of(PLAIN), List.of(PLAIN)), true), Client.of(PLAIN)));
        BASIC.put("again", List.of(Client.of(PLAIN, PLAIN), Client.of(PLAIN)));
        BASIC.put("a client that does not hear", List.of(new Client(List.of(List.of(PLAIN)), false), Client.of(PLAIN)));
    }

    private Scenarios() {}

    private static List<Client> clients(Use... uses) {
        return Arrays.stream(uses).map(Client::of).toList();
    }

    /** Returns the scenarios in which nothing goes wrong. */
    static List<Scenario> faultless(int moments) {
        return all(EnumSet.noneOf(Fault.class), 0, moments);
    }

    /** Returns the scenarios in which one of these things goes wrong at most so many times. */
    static List<Scenario> all(Set<Fault> faults, int mostFaults, int moments) {
        List<Scenario> all = new ArrayList<>();
        BASIC.forEach((name, clients) -> all.add(new Scenario(name, clients, faults, mostFaults, moments)));
        return all;
    }
}
