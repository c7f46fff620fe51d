package dev.holdfast.lock.simulation;

import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.internal.protocol.FencingTokens;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Writes down what a run does with the lock {@link TracePlanner#LOCK}, as a value of TLA+. {@code Trace.tla} describes the events. */
final class ModelTrace implements Tracer {

    private static final String KEY = TracePlanner.LOCK;
    private static final String QUEUE = "redisson_lock_queue:{" + KEY + "}";
    private static final int FIRST_LEASE_MILLIS = 3_000;

    /** One event. Its fields are written in TLA+ at the end, because tokens are numbered in order then. */
    private final class Event {
        private final String kind;
        private final Map<String, Object> fields = new LinkedHashMap<>();

        Event(String kind) {
            this.kind = kind;
        }

        Event with(String field, Object value) {
            fields.put(field, value);
            return this;
        }

        String written() {
            return fields.entrySet().stream()
                    .map(field -> field.getKey() + "|->" + value(field.getValue()))
                    .collect(Collectors.joining(",", "[e|->\"" + kind + "\"" + (fields.isEmpty() ? "" : ","), "]"));
        }

        private String value(Object value) {
            return value instanceof Drawn drawn
                    ? Integer.toString(numberOf(drawn))
                    : value instanceof String text
                            ? "\"" + text + "\""
                            : value instanceof Boolean truth ? truth ? "TRUE" : "FALSE" : value.toString();
        }
    }

    /** A text of TLA+. */
    private record Text(String text) {
        @Override
        public String toString() {
            return text;
        }
    }

    /** A number that was drawn for a token. */
    private record Drawn(long number) {}

    /** A part of a script that a client has sent: the owner that it speaks of, its lease, and its token. */
    private record Part(int owner, long leaseMicros, long token) {}

    private final class Sent implements Call {
        final SimulatedProcess process;
        final String script;
        final List<Part> parts;
        final boolean waits;
        long sentAt;
        final List<Event> executed = new ArrayList<>();

        Sent(SimulatedProcess process, String script, List<Part> parts, boolean waits) {
            this.process = process;
            this.script = script;
            this.parts = parts;
            this.waits = waits;
        }

        @Override
        public void sent() {
            sentAt = micros(process);
            parts.stream().filter(part -> part.owner > 0).forEach(part -> send(process.world, script, part));
        }

        @Override
        public void answered(List<Object> values) {
            hear(this);
        }

        long age() {
            return micros(process) - sentAt;
        }
    }

    private final int mostEvents;
    private final Function<Script, Script> change;
    private final List<Event> events = new ArrayList<>();
    private final List<SimulatedProcess> processes = new ArrayList<>();
    private final Map<String, Integer> owners = new LinkedHashMap<>();
    /** The number of each owner's process. */
    private final List<Integer> homes = new ArrayList<>();

    private final Map<Long, Integer> ownersOfTokens = new LinkedHashMap<>();
    private final TreeSet<Long> drawn = new TreeSet<>();
    private final Map<List<String>, Sent> calls = new IdentityHashMap<>();
    /** The owners that have received a message. */
    private final Set<Object> told = new HashSet<>();

    private final List<Hold> holds = new ArrayList<>();
    private long[] clocks = new long[0];
    private long redisMillis;
    private boolean full;

    /**
     * Creates a trace of a run that has not begun.
     *
     * @param mostEvents the number of events after which the trace ends
     * @param change the scripts that the server runs instead of those that it is sent
     */
    ModelTrace(int mostEvents, Function<Script, Script> change) {
        this.mostEvents = mostEvents;
        this.change = change;
    }

    /**
     * A run in TLA+.
     *
     * @param owners the number of owners
     * @param head what the run says of its owners: the lease that a release may grant to each, and the number of its process
     */
    record Run(int owners, String head, List<String> events) {

        String text() {
            return "[" + head + ",events|-><<\n" + String.join(",\n", events) + ">>]";
        }
    }

    Run run() {
        String head = "first|->"
                + sequence(owners.keySet().stream().map(ModelTrace::firstLease).toList()) + ",home|->"
                + sequence(homes);
        return new Run(owners.size(), head, events.stream().map(Event::written).toList());
    }

    /** An owner ends with the lease that a release may grant to it, unless that is the usual one. */
    private static long firstLease(String owner) {
        String[] parts = owner.split(":");
        return TimeUnit.MILLISECONDS.toMicros(parts.length > 3 ? Long.parseLong(parts[3]) : FIRST_LEASE_MILLIS);
    }

    private int numberOf(Drawn token) {
        return drawn.headSet(token.number, true).size();
    }

    private static Drawn drawnOf(long token) {
        return new Drawn(FencingTokens.drawn(token));
    }

    private static long micros(SimulatedProcess process) {
        return TimeUnit.NANOSECONDS.toMicros(process.nanoTime());
    }

    /** Returns the number of an owner, or 0 after the end of the trace. */
    private int ownerOf(SimulatedProcess process, String id) {
        Integer known = owners.get(id);
        if (known != null || full) {
            return known == null ? 0 : known;
        }
        if (!processes.contains(process)) {
            processes.add(process);
        }
        owners.put(id, owners.size() + 1);
        homes.add(processes.indexOf(process) + 1);
        return owners.size();
    }

    private Event add(World world, Event event) {
        pass(world);
        if (!full) {
            events.add(event);
            full = events.size() >= mostEvents;
        }
        return event;
    }

    /** Moves all clocks to the present time. */
    private void pass(World world) {
        long millis = world.nowMillis();
        long[] now = processes.stream().mapToLong(ModelTrace::micros).toArray();
        List<Long> steps = new ArrayList<>();
        boolean isPast = millis > redisMillis;
        for (int i = 0; i < now.length; i++) {
            long step = i < clocks.length ? now[i] - clocks[i] : 0;
            steps.add(step);
            isPast |= step > 0;
        }
        if (isPast && !full && !steps.isEmpty()) {
            events.add(new Event("pass")
                    .with("redis", TimeUnit.MILLISECONDS.toMicros(millis - redisMillis))
                    .with("clocks", sequence(steps)));
        }
        redisMillis = millis;
        clocks = now;
    }

    private static Text sequence(List<?> values) {
        return new Text(values.stream().map(String::valueOf).collect(Collectors.joining(",", "<<", ">>")));
    }

    private static Text set(List<Integer> values) {
        return new Text(values.stream().map(String::valueOf).collect(Collectors.joining(",", "{", "}")));
    }

    @Override
    public Call call(SimulatedProcess process, Script script, List<String> keys, List<String> args) {
        List<Part> parts = new ArrayList<>();
        switch (script.name()) {
            case "acquire" -> parts.add(part(process, args.get(0), args.get(2), "0"));
            case "release" -> parts.add(part(process, args.get(0), "0", "0"));
            case "renew" -> {
                for (int i = 0; i < keys.size(); i++) {
                    parts.add(
                            keys.get(i).equals(KEY)
                                    ? part(process, args.get(3 * i), args.get(3 * i + 1), args.get(3 * i + 2))
                                    : new Part(0, 0, 0));
                }
            }
            default -> {
                // No other script changes who has a plain lock or waits for it.
            }
        }
        Sent call = new Sent(
                process, script.name(), parts, args.size() < 4 || !args.get(3).equals("0"));
        calls.put(args, call);
        return call;
    }

    private Part part(SimulatedProcess process, String owner, String leaseMillis, String token) {
        return new Part(
                ownerOf(process, owner),
                TimeUnit.MILLISECONDS.toMicros(Long.parseLong(leaseMillis)),
                Long.parseLong(token));
    }

    private void send(World world, String kind, Part part) {
        switch (kind) {
            case "acquire" -> add(world, new Event("ask").with("c", part.owner).with("l", part.leaseMicros));
            case "renew" -> add(world, new Event("renew").with("c", part.owner).with("l", part.leaseMicros));
            default -> add(world, new Event("leave").with("c", part.owner));
        }
    }

    @Override
    public SimulatedServer.Witness on(SimulatedServer server) {
        return (script, keys, args, execution) -> {
            Sent call = calls.get(args);
            List<Object> values;
            try {
                values = execution.run(change.apply(script), keys, args);
            } catch (RuntimeException refused) {
                if (call != null) {
                    shows(add(server.world(), new Event("refusal")), server);
                }
                throw refused;
            }
            if (call != null) {
                executed(call, values, server);
            }
            return values;
        };
    }

    private void executed(Sent call, List<Object> values, SimulatedServer server) {
        World world = server.world();
        for (int i = 0; i < call.parts.size(); i++) {
            Part part = call.parts.get(i);
            if (part.owner == 0) {
                continue;
            }
            Event event = add(
                    world,
                    new Event(
                            call.script.equals("acquire")
                                    ? "question"
                                    : call.script.equals("renew") ? "renewal" : "release"));
            event.with("c", part.owner);
            if (!call.script.equals("release")) {
                event.with("l", part.leaseMicros).with("a", call.age()).with("arrives", false);
                if (call.script.equals("acquire")) {
                    event.with("waits", call.waits);
                }
                tell(event, call, part, values, i);
            }
            call.executed.add(event);
            shows(event, server);
        }
        believe(world);
    }

    /** Adds what an answer says. */
    private void tell(Event event, Sent call, Part part, List<Object> values, int index) {
        long first = (long) values.get(call.script.equals("renew") ? index : 0);
        if (call.script.equals("renew")) {
            worth(event, first == 1 ? "renewed" : "lost", drawnOf(part.token), part.leaseMicros, call);
        } else if (values.size() == 1) {
            worth(event, "granted", drawnOf(first), part.leaseMicros, call);
        } else if (first == 1) {
            long left = TimeUnit.MILLISECONDS.toMicros((long) values.get(2));
            worth(event, "granted", drawnOf((long) values.get(1)), left, call);
        } else {
            String owner = List.copyOf(owners.keySet()).get(part.owner - 1);
            worth(event, "busy", new Drawn((long) values.get(3)), firstLease(owner), call);
        }
    }

    private void worth(Event event, String kind, Drawn token, long leaseMicros, Sent call) {
        event.with("k", kind).with("t", token).with("v", Math.max(0, leaseMicros - leaseMicros / 20 - call.age()));
    }

    /** Adds what Redis has after an event. */
    private void shows(Event event, SimulatedServer server) {
        Map<String, String> hold = new LinkedHashMap<>();
        List<?> fields = (List<?>) server.look("hgetall", KEY);
        for (int i = 0; fields != null && i < fields.size(); i += 2) {
            hold.put((String) fields.get(i), (String) fields.get(i + 1));
        }
        String owner = hold.keySet().stream()
                .filter(field -> !field.startsWith("holdfast:"))
                .findFirst()
                .orElse("");
        long token = Long.parseLong(hold.getOrDefault("holdfast:token", "0"));
        if (token > 0) {
            drawn.add(FencingTokens.drawn(token));
            ownersOfTokens.put(FencingTokens.drawn(token), owners.getOrDefault(owner, 0));
        }
        long left = hold.isEmpty() ? 0 : TimeUnit.MILLISECONDS.toMicros((long) server.look("pttl", KEY));
        List<Integer> places = ((List<?>) server.look("lrange", QUEUE, "0", "-1"))
                .stream().map(place -> owners.getOrDefault((String) place, 0)).toList();
        List<Integer> told = server.published.stream()
                .filter(message -> FencingTokens.ofMessage(message) > 0)
                .map(message -> owners.getOrDefault(message.substring(0, message.indexOf(' ')), 0))
                .filter(this::isStillThere)
                .toList();
        event.with("owner", owner.isEmpty() ? 0 : owners.getOrDefault(owner, -1))
                .with("token", drawnOf(token))
                .with("left", left)
                .with("places", set(places))
                .with("told", set(told));
    }

    /** An owner that has left hears no message. */
    private boolean isStillThere(int owner) {
        return events.stream()
                .noneMatch(event ->
                        event.kind.equals("leave") && event.fields.get("c").equals(owner));
    }

    private void hear(Sent call) {
        for (int i = 0; i < call.executed.size() && !full; i++) {
            Event executed = call.executed.get(i);
            if (call.script.equals("release")
                    || executed.fields.get("k").equals("lost")
                    || !call.waits && executed.fields.get("k").equals("busy")) {
                continue;
            }
            executed.with("arrives", true);
            long sinceThen = call.age() - (long) executed.fields.get("a");
            Object owner = executed.fields.get("c");
            add(call.process.world, new Event("hear"))
                    .with("c", owner)
                    .with("k", executed.fields.get("k"))
                    .with("t", executed.fields.get("t"))
                    .with("v", Math.max(0, (long) executed.fields.get("v") - sinceThen));
            if (told.contains(owner)) {
                // A message that came while the request was under way is looked at now.
                add(call.process.world, new Event("message").with("c", owner));
            }
        }
    }

    @Override
    public void heard(SimulatedProcess process, String message) {
        int end = message.indexOf(' ');
        Integer owner = end < 0 ? null : owners.get(message.substring(0, end));
        if (owner != null) {
            told.add(owner);
            add(process.world, new Event("message").with("c", owner));
        }
    }

    @Override
    public void granted(Hold hold) {
        holds.add(hold);
        rely(hold);
    }

    private void believe(World world) {
        holds.removeIf(hold -> !hold.isBelieved());
        holds.forEach(this::rely);
    }

    private void rely(Hold hold) {
        long token = hold.lease.fencingToken();
        long left = TimeUnit.NANOSECONDS.toMicros(hold.lease.remaining().toNanos());
        if (left > 0) {
            add(hold.process.world, new Event("rely"))
                    .with("c", ownersOfTokens.getOrDefault(FencingTokens.drawn(token), 0))
                    .with("t", drawnOf(token))
                    .with("n", token % FencingTokens.FOR_EACH_GRANT)
                    .with("v", left);
        }
    }
}
