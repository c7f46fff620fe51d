package dev.holdfast.lock.simulation;

import java.util.ArrayList;
import java.util.List;

/**
 * The owner of events: a process, a server, or the world itself. While the actor is paused, its events wait. When the actor is dead, its events are
 * dropped.
 */
class Actor {

    final String name;
    final List<Runnable> waiting = new ArrayList<>();
    boolean dead;
    private int pauses;
    /** The time at which the last pause began. */
    long pausedAt = Long.MIN_VALUE / 2;

    long resumedAt = Long.MIN_VALUE / 2;

    Actor(String name) {
        this.name = name;
    }

    boolean isPaused() {
        return pauses > 0;
    }

    void pause(long now) {
        pauses++;
        pausedAt = now;
    }

    /** Resumes the actor, unless another pause is not over. Returns the events that have waited. */
    List<Runnable> resume(long now) {
        if (--pauses > 0) {
            return List.of();
        }
        resumedAt = now;
        List<Runnable> due = List.copyOf(waiting);
        waiting.clear();
        return due;
    }
}
