package dev.holdfast.lock.explore;

import dev.holdfast.lock.LockException;
import dev.holdfast.lock.explore.Scenario.Fault;
import dev.holdfast.lock.internal.connection.Script;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A scenario at one point of a story: what the clients, the network and Redis know, and what may happen next. */
final class Situation implements AutoCloseable {

    private static final long HORIZON = TimeUnit.SECONDS.toNanos(30);
    /** How long Redis is away if it loses something: no two numbers are drawn in the same microsecond. */
    private static final long OUTAGE = TimeUnit.MILLISECONDS.toNanos(1);

    private static final long NEVER = Long.MIN_VALUE / 2;
    private static final int MOST_TASKS = 100_000;

    private final Scenario scenario;
    final Server server;
    final Promises promises = new Promises(this);
    private final List<ClientProcess> processes = new ArrayList<>();
    private final List<Caller> callers = new ArrayList<>();
    private final Deque<Runnable> soon = new ArrayDeque<>();
    private final List<Blocked> blocked = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    private @Nullable Blocked current;
    private long now;
    private int faults;
    private boolean faultless = true;
    private int moments;
    private long lastFaultAt = NEVER;
    private boolean sound = true;
    private boolean promoted;
    /** When Redis was first asked since a replica took over. */
    private long askedSincePromotion = NEVER;
    /** Whether time has gone on without a bound, so that nothing is to be explored any more. */
    private boolean ended;

    /**
     * Begins a story.
     *
     * @param scripts replaces scripts
     */
    Situation(Scenario scenario, UnaryOperator<Script> scripts) {
        this.scenario = scenario;
        this.server = new Server(
                this::now,
                scripts,
                scenario.graceMillis() > 0,
                promises::entered,
                what -> promises.fail("a script ends with an answer", what));
        if (scenario.faults().contains(Fault.LAG)) {
            server.remember();
        }
        for (int i = 0; i < scenario.clients().size(); i++) {
            ClientProcess process =
                    new ClientProcess(this, i, scenario.clients().get(i));
            processes.add(process);
            callers.addAll(process.callers);
        }
        settle();
    }

    // --- Time and tasks

    /** Returns the time in nanoseconds since the story began. */
    long now() {
        return now;
    }

    /** Runs a task after the current one. */
    void soon(Runnable task) {
        soon.add(task);
    }

    private void settle() {
        for (int i = 0; !soon.isEmpty(); i++) {
            if (i > MOST_TASKS) {
                throw new IllegalStateException("Tasks follow each other without end");
            }
            soon.remove().run();
        }
        promises.look();
    }

    /** Starts a call that may block. */
    void start(ClientProcess process, Blocked call, Runnable body) {
        blocked.add(call);
        process.execute(() -> resume(call, () -> call.start(body)));
    }

    private void resume(Blocked call, Runnable step) {
        Blocked before = current;
        current = call;
        step.run();
        current = before;
    }

    /** Blocks the current call until the future is done, or the time is over. */
    void await(ClientProcess process, CompletableFuture<?> future, long longestNanos) {
        if (future.isDone() || longestNanos <= 0) {
            return;
        }
        Blocked call = current;
        if (call == null) {
            throw new IllegalStateException("Something blocks that is not a blocking call");
        }
        boolean[] waits = {true};
        Runnable goOn = () -> {
            if (waits[0]) {
                waits[0] = false;
                resume(call, call::goOn);
            }
        };
        if (longestNanos < HORIZON) {
            new ProcessTimer(process).schedule(() -> process.execute(goOn), longestNanos, TimeUnit.NANOSECONDS);
        }
        future.whenComplete((done, failure) -> process.execute(goOn));
        call.await(future);
    }

    /** Returns the time of the next timer or end of a key. {@code Long.MAX_VALUE} if there is none that matters. */
    long nextMoment() {
        long next = Long.MAX_VALUE;
        for (ClientProcess process : processes) {
            if (process.runs() && !process.planned.isEmpty()) {
                next = Math.min(next, process.planned.get(0).at - HeapDigest.FIRST_NANOS);
            }
        }
        long end = server.nextEnd();
        next = Math.min(next, end);
        return next - now > HORIZON ? Long.MAX_VALUE : Math.max(next, now);
    }

    private void pass() {
        moments++;
        passUntil(nextMoment());
    }

    private void passUntil(long time) {
        now = time;
        for (ClientProcess process : processes) {
            runTimers(process);
            process.wire().strays.removeIf(stray -> stray.strayUntil <= process.nanoTime());
        }
    }

    private void runTimers(ClientProcess process) {
        while (process.runs() && !process.planned.isEmpty() && process.planned.get(0).at <= process.nanoTime()) {
            process.planned.get(0).run();
        }
    }

    // --- What is known of it

    List<Caller> callers() {
        return callers;
    }

    /** Returns whether nothing has gone wrong yet. */
    boolean isFaultless() {
        return faultless;
    }

    /** Returns whether Redis has kept what it was told. */
    boolean isSound() {
        return sound;
    }

    /** Returns whether a replica has taken over. */
    boolean isPromoted() {
        return promoted;
    }

    /** Returns for how long Redis has been asked since a replica took over. */
    long knownReign() {
        return askedSincePromotion == NEVER ? 0 : now - askedSincePromotion;
    }

    Scenario scenario() {
        return scenario;
    }

    long lastFaultAt() {
        return lastFaultAt;
    }

    boolean hasFixedLeases() {
        return scenario.uses().anyMatch(use -> use.leaseMillis() > 0);
    }

    /** Returns whether no request, answer, subscription or message is in transit to Redis or to a running process. */
    boolean isQuiet() {
        for (ClientProcess process : processes) {
            Wire wire = process.wire();
            boolean isQuiet = process.runs() ? wire.isQuiet() : wire.requests.isEmpty() && wire.subscriptions.isEmpty();
            if (!isQuiet) {
                return false;
            }
        }
        return true;
    }

    /** Returns how many times time has passed. */
    int moments() {
        return moments;
    }

    /** Returns whether the process with this letter goes on. */
    boolean isAlive(String letter) {
        return processes.get(letter.charAt(0) - 'A').runs();
    }

    /** Returns whether a message is on its way that names this place. */
    boolean isTold(String place) {
        return processes.stream()
                .flatMap(process -> process.wire().messages.stream())
                .anyMatch(message -> place.equals(message.text()));
    }

    private boolean isOver() {
        boolean isIdle = processes.stream()
                .allMatch(process -> process.dead
                        || process.isClosed()
                        || process.callers.stream().allMatch(Caller::isDone));
        return isIdle && isQuiet();
    }

    void note(String what) {
        notes.add(what);
    }

    /** Returns what was noted since the last call. */
    List<String> takeNotes() {
        List<String> taken = List.copyOf(notes);
        notes.clear();
        return taken;
    }

    // --- What may happen next

    boolean allows(Fault fault) {
        return faults < scenario.mostFaults() && scenario.faults().contains(fault);
    }

    /** Returns what may happen next, always in the same order for the same story. */
    List<Choice> choices() {
        List<Choice> choices = new ArrayList<>();
        if (promises.broken() != null || ended) {
            return choices;
        }
        for (ClientProcess process : processes) {
            addDeliveries(process, choices);
            if (process.runs()) {
                process.callers.forEach(caller -> caller.addChoices(choices));
            }
            addFaults(process, choices);
        }
        if (allows(Fault.LOSE) && sound && !isOver()) {
            choices.add(new Choice("Redis", Fault.LOSE, () -> "loses all keys", () -> {
                sound = false;
                promises.forgotten();
                server.lose();
                passUntil(now + OUTAGE);
            }));
        }
        if (allows(Fault.PROMOTE) && !isOver()) {
            choices.add(new Choice(
                    "Redis", Fault.PROMOTE, () -> "is replaced by a replica without keys", () -> promote(Map.of())));
            choices.add(
                    new Choice("Redis", Fault.PROMOTE, () -> "is replaced by a replica", () -> promote(server.copy())));
        }
        addTime(choices);
        return choices;
    }

    private void addDeliveries(ClientProcess process, List<Choice> choices) {
        Wire wire = process.wire();
        if (!wire.requests.isEmpty()) {
            Wire.Request<?> request = wire.requests.element();
            choices.add(new Choice("Redis", () -> runs(process, request, ""), () -> {
                wire.execute();
                executed(request);
            }));
            if (allows(Fault.PROMOTE)) {
                String how = ", answers, and is replaced by a replica that does not know it";
                choices.add(new Choice("Redis", Fault.PROMOTE, () -> runs(process, request, how), () -> {
                    Map<String, Object> before = server.copy();
                    wire.execute();
                    executed(request);
                    promote(before);
                }));
            }
            if (allows(Fault.LAG)) {
                String how = ", answers, and is replaced by a replica that knows neither it nor the script before it";
                choices.add(new Choice("Redis", Fault.LAG, () -> runs(process, request, how), () -> {
                    Map<String, Object> before = server.copyBeforeLatest();
                    wire.execute();
                    executed(request);
                    promote(before);
                }));
            }
            if (allows(Fault.REPEAT) && !request.isRepeated) {
                choices.add(new Choice(
                        "Redis", Fault.REPEAT, () -> runs(process, request, ", and will run it again"), () -> {
                            request.isRepeated = true;
                            request.execute();
                            executed(request);
                        }));
            }
        }
        for (Wire.Request<?> stray : wire.strays) {
            choices.add(
                    new Choice("Redis", () -> runs(process, stray, ", late, from a connection that has ended"), () -> {
                        wire.strays.remove(stray);
                        stray.execute();
                        executed(stray);
                    }));
        }
        if (!wire.subscriptions.isEmpty()) {
            choices.add(new Choice(
                    "Redis", () -> "receives the subscription of " + process.name, wire::receiveSubscription));
        }
        if (process.runs() && !wire.replies.isEmpty()) {
            Wire.Request<?> reply = wire.replies.element();
            choices.add(new Choice(process.name, () -> "receives the answer of " + reply.script.name(), wire::answer));
        }
        if (process.runs() && !wire.messages.isEmpty()) {
            Wire.Message message = wire.messages.element();
            choices.add(new Choice(process.name, () -> "receives " + Story.message(message), wire::hear));
        }
    }

    private void promote(Map<String, Object> copy) {
        promoted = true;
        askedSincePromotion = NEVER;
        server.promote(copy);
        promises.promoted();
        passUntil(now + OUTAGE);
    }

    private void executed(Wire.Request<?> request) {
        note(Story.answer(request));
        if (askedSincePromotion == NEVER) {
            askedSincePromotion = now;
        }
        promises.executed(request);
    }

    private static String runs(ClientProcess process, Wire.Request<?> request, String how) {
        return "runs " + request.script.name() + " of " + process.name + how;
    }

    private void addFaults(ClientProcess process, List<Choice> choices) {
        Wire wire = process.wire();
        String name = process.name;
        if (process.paused && !process.dead) {
            choices.add(new Choice(name, () -> "goes on", () -> {
                process.paused = false;
                lastFaultAt = now;
                runTimers(process);
            }));
        }
        if (process.dead || process.isClosed()) {
            return;
        }
        if (allows(Fault.CUT_COMMANDS) && !(wire.requests.isEmpty() && wire.replies.isEmpty())) {
            choices.add(
                    new Choice(name, Fault.CUT_COMMANDS, () -> "loses its connection for commands", wire::cutCommands));
        }
        if (allows(Fault.CUT_MESSAGES) && wire.hasChannels()) {
            choices.add(
                    new Choice(name, Fault.CUT_MESSAGES, () -> "loses its connection for messages", wire::cutMessages));
        }
        if (allows(Fault.LOST_MESSAGE)
                && !wire.messages.isEmpty()
                && wire.messages.element().text() != null) {
            choices.add(new Choice(
                    name,
                    Fault.LOST_MESSAGE,
                    () -> "does not receive " + Story.message(wire.messages.element()),
                    () -> wire.messages.remove()));
        }
        if (allows(Fault.PAUSE) && !process.paused) {
            choices.add(new Choice(name, Fault.PAUSE, () -> "stands still", () -> process.paused = true));
        }
        if (allows(Fault.DIE)) {
            choices.add(new Choice(name, Fault.DIE, () -> "dies", () -> die(process, true)));
        }
        if (allows(Fault.VANISH)) {
            choices.add(new Choice(
                    name, Fault.VANISH, () -> "dies, which Redis does not notice", () -> die(process, false)));
        }
        if (allows(Fault.FORCE) && !process.paused) {
            choices.add(new Choice(
                    name, Fault.FORCE, () -> "releases the lock by force", () -> force(process, scenario.firstName())));
        }
        if (allows(Fault.CLOSE) && process.closing == null && !process.paused) {
            choices.add(new Choice(name, Fault.CLOSE, () -> "is closed", () -> {
                Blocked call = new Blocked();
                process.closing = call;
                start(process, call, () -> process.client.close(Duration.ZERO));
            }));
        }
    }

    private void force(ClientProcess process, String lock) {
        start(process, new Blocked(), () -> {
            try {
                process.client.forceRelease(lock);
            } catch (LockException unavailable) {
                note(process.name + " does not know whether " + lock + " is free: " + unavailable.getMessage());
            }
        });
    }

    private static void die(ClientProcess process, boolean isNoticed) {
        process.dead = true;
        process.planned.clear();
        process.wire().die(isNoticed);
    }

    private void addTime(List<Choice> choices) {
        if (isOver()) {
            return;
        }
        boolean isQuiet = isQuiet();
        if (moments == scenario.moments()) {
            if (isQuiet && promises.isLockLeft()) {
                choices.add(new Choice(
                        "time", () -> "goes on, and everything arrives, until the lock is found", this::goOn));
            }
            return;
        }
        long next = nextMoment();
        if (next == Long.MAX_VALUE) {
            return;
        }
        if (isQuiet || allows(Fault.DELAY)) {
            choices.add(new Choice(
                    "time",
                    isQuiet ? null : Fault.DELAY,
                    () -> "passes for " + TimeUnit.NANOSECONDS.toMicros(next - now) / 1000.0 + " ms",
                    this::pass));
        }
    }

    /** Lets time go on until no free lock is left, or until one was left for too long. */
    private void goOn() {
        ended = true;
        while (promises.broken() == null && promises.isLockLeft()) {
            if (isQuiet()) {
                passUntil(nextMoment());
            } else {
                processes.forEach(this::deliver);
            }
            settle();
        }
    }

    private void deliver(ClientProcess process) {
        Wire wire = process.wire();
        if (!wire.requests.isEmpty()) {
            Wire.Request<?> request = wire.requests.element();
            wire.execute();
            promises.executed(request);
        }
        if (!wire.subscriptions.isEmpty()) {
            wire.receiveSubscription();
        }
        if (process.runs() && !wire.replies.isEmpty()) {
            wire.answer();
        }
        if (process.runs() && !wire.messages.isEmpty()) {
            wire.hear();
        }
        settle();
    }

    void take(Choice choice) {
        Fault fault = choice.fault();
        if (fault != null) {
            faults++;
            if (!fault.isOrdinary()) {
                faultless = false;
                lastFaultAt = now;
            }
        }
        choice.action().run();
        settle();
    }

    // --- Its identity

    /** Returns a number that two situations share if the same may follow. */
    long digest() {
        List<ClientProcess> order = new ArrayList<>(processes);
        order.sort(Comparator.comparingLong(this::rank));
        return smallest(order, 0);
    }

    /** Returns a number that is the same for two clients that may change their places. Where it differs, only one order of the clients is tried. */
    private long rank(ClientProcess process) {
        return 1_000_003L * scenario.clients().indexOf(process.plan) + process.progress();
    }

    private long smallest(List<ClientProcess> order, int from) {
        if (from >= order.size() - 1) {
            return digest(order);
        }
        long smallest = Long.MAX_VALUE;
        for (int i = from; i < order.size() && rank(order.get(i)) == rank(order.get(from)); i++) {
            Collections.swap(order, from, i);
            smallest = Math.min(smallest, smallest(order, from + 1));
            Collections.swap(order, from, i);
        }
        return smallest;
    }

    /** Returns the number with the clients in this order. */
    private long digest(List<ClientProcess> inOrder) {
        int[] positionOf = new int[inOrder.size()];
        for (int i = 0; i < positionOf.length; i++) {
            positionOf[inOrder.get(i).letter - 'A'] = i;
        }
        HeapDigest digest = new HeapDigest(positionOf, HeapDigest.FIRST_NANOS + now, server.micros());
        digest.add((long) faults);
        digest.add(sound ? 1L : 0L);
        digest.add(promoted ? 1L : 0L);
        digest.add(Math.min(knownReign(), HORIZON));
        digest.add(ended ? 1L : 0L);
        digest.add(faultless ? 1L : 0L);
        digest.add(Math.min(now - lastFaultAt, Promises.FOUND + 1));
        for (ClientProcess process : inOrder) {
            digest.add(process);
            server.subscriptionsOf(process.wire()).forEach(digest::add);
        }
        server.addTo(digest);
        promises.addTo(digest, inOrder);
        return digest.value();
    }

    /** Returns what Redis keeps, in a form to read. */
    String redis() {
        List<String> parts = new ArrayList<>();
        for (Server.Key key : server.keys()) {
            parts.add(Story.key(key));
        }
        parts.removeIf(String::isEmpty);
        return String.join("; ", parts);
    }

    @Override
    public void close() {
        for (Blocked call : blocked) {
            if (!call.hasEnded()) {
                resume(call, call::drop);
            }
        }
    }

    /** Returns whether a thread waits in it. */
    boolean hasThreads() {
        return blocked.stream().anyMatch(call -> !call.hasEnded());
    }
}
