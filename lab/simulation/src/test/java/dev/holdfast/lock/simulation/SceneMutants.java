package dev.holdfast.lock.simulation;

import java.util.List;

/** Races that are put in: a check and an act that were one step, or an act that left its queue or its monitor. */
final class SceneMutants {

    /** A race, and the scene that must go wrong with it. */
    record Race(Scene scene, Mutant mutant) {

        @Override
        public String toString() {
            return mutant.toString();
        }
    }

    /** No races. Fray does not wake a pool's thread that waits for its next task for a limited time, so the log and callbacks have no such threads. */
    static final List<Mutant> NO_IDLE_THREADS = List.of(
            new Mutant(
                    "lines are logged at once",
                    "internal/background/LockLog.java",
                    "Threads.shared(\"holdfast-log\"));",
                    "Threads.shared(\"holdfast-log\")) {\n                @Override\n                public void execute(Runnable line) {\n                    line.run();\n                }\n            };"),
            new Mutant(
                    "threads for callbacks end with their tasks",
                    "internal/background/CallbackThreads.java",
                    "pool.execute(this::work);",
                    "platformThread(this::work).start();"));

    static final List<Race> ALL = List.of(
            race(
                    Scene.EVENTS,
                    "the end of a queue is looked at, then written",
                    "internal/background/SerialQueue.java",
                    "if (LATEST.compareAndSet(this, NONE_BEHIND, null)) {",
                    "if (latest == NONE_BEHIND) {\n                    latest = null;"),
            race(
                    Scene.TURNS,
                    "a room is opened for a caller that is being served",
                    "internal/waiting/WaitingRooms.java",
                    "rooms.computeIfPresent(id, (same, present) -> present == this ? open() : present);",
                    "if (rooms.get(id) == this) {\n                    rooms.put(id, open());\n                }"),
            race(
                    Scene.TURNS,
                    "a hand-over does not wait for the room's other events",
                    "internal/waiting/WaitingRoom.java",
                    "postAhead(() -> offer(grant, outcome));",
                    "handle(() -> offer(grant, outcome));"),
            race(
                    Scene.LOSS,
                    "a loss is recorded after its hold has ended",
                    "internal/thread/ThreadHolds.java",
                    "synchronized (hold) {",
                    "{"),
            race(
                    Scene.LOSS,
                    "an unlock does not wait for a loss",
                    "internal/thread/ThreadHolds.java",
                    "synchronized int leave() {",
                    "int leave() {"),
            race(
                    Scene.CLOSING,
                    "a client closes without its requests that are under way",
                    "internal/engine/PendingReleases.java",
                    "if (undecided.get() == 0) {",
                    "if (undecided.get() >= 0) {"),
            race(
                    Scene.ROUNDS,
                    "a lease joins a round that has ended",
                    "internal/lease/LeaseTable.java",
                    "        rounds.compute(roundOf(lease), (period, round) -> {\n"
                            + "            RenewalRound joined = round == null ? new RenewalRound(period) : round;\n"
                            + "            joined.leases.add(lease);\n"
                            + "            return joined;\n"
                            + "        });\n",
                    "rounds.computeIfAbsent(roundOf(lease), RenewalRound::new).leases.add(lease);"),
            race(
                    Scene.CONFIRMATIONS,
                    "two answers are noted at a time",
                    "internal/lease/Grant.java",
                    "public synchronized boolean confirm(",
                    "public boolean confirm("));

    private SceneMutants() {}

    private static Race race(Scene scene, String name, String file, String text, String replacement) {
        return new Race(scene, new Mutant(name, file, text, replacement));
    }
}
