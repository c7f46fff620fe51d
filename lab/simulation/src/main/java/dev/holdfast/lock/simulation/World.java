package dev.holdfast.lock.simulation;

import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;

/**
 * The only clock and the only queue of a simulation. Everything that happens is an event with a time, and one thread runs the events one after the
 * other.
 */
final class World {

    /** A planned event. */
    static final class Event implements Comparable<Event> {
        private final long at;
        private final long number;
        private final Actor actor;
        private final Runnable task;
        private boolean canceled;

        private Event(long at, long number, Actor actor, Runnable task) {
            this.at = at;
            this.number = number;
            this.actor = actor;
            this.task = task;
        }

        void cancel() {
            canceled = true;
        }

        @Override
        public int compareTo(Event other) {
            return at == other.at ? Long.compare(number, other.number) : Long.compare(at, other.at);
        }
    }

    private static final long MOST_STEPS = 2_000_000;

    final long seed;
    final History history;
    final Fibers fibers = new Fibers(this);
    /** The actor for the events of the plan. */
    final Actor self = new Actor("world");

    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private long now;
    private long numbers;
    long steps;

    World(long seed, History history) {
        this.seed = seed;
        this.history = history;
    }

    /** Returns the time in nanoseconds since the world began. */
    long now() {
        return now;
    }

    long nowMillis() {
        return TimeUnit.NANOSECONDS.toMillis(now);
    }

    Chance chance(String user) {
        return Chance.of(seed, user);
    }

    Event plan(Actor actor, long delayNanos, Runnable task) {
        Event event = new Event(now + Math.max(0, delayNanos), numbers++, actor, task);
        events.add(event);
        return event;
    }

    Event planAt(Actor actor, long at, Runnable task) {
        return plan(actor, at - now, task);
    }

    /** Resumes an actor. Its waiting events run now, in order. */
    void resume(Actor actor) {
        List<Runnable> due = actor.resume(now);
        due.forEach(task -> plan(actor, 0, task));
    }

    /** Runs events until the given time, or until the check is satisfied. */
    void run(long until, java.util.function.BooleanSupplier enough) {
        while (!enough.getAsBoolean()) {
            Event next = events.peek();
            if (next == null || next.at > until) {
                now = until;
                return;
            }
            events.poll();
            now = Math.max(now, next.at);
            if (next.canceled || next.actor.dead) {
                continue;
            }
            if (++steps > MOST_STEPS) {
                throw new IllegalStateException("More than " + MOST_STEPS + " steps: something goes round in circles");
            }
            if (next.actor.isPaused()) {
                next.actor.waiting.add(() -> {
                    if (!next.canceled) {
                        next.task.run();
                    }
                });
            } else {
                next.task.run();
            }
        }
    }
}
