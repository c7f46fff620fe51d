package dev.holdfast.lock.explore;

import dev.holdfast.lock.internal.connection.Script;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Visits the situations of a scenario, those with the shortest stories first. The real clients cannot be copied, so each situation is reached by
 * playing its story from the beginning.
 */
final class Explorer {

    /**
     * What was explored.
     *
     * @param states the situations that differ
     * @param transitions the steps that were taken from them
     * @param depth the length of the longest story
     * @param steps the length of the story that breaks a promise; 0 if none does
     * @param isComplete whether no situation within the bounds was left out
     * @param promise the promise that is broken; null if none is
     * @param story the shortest story that breaks it
     */
    record Explored(
            String scenario,
            int states,
            long transitions,
            int depth,
            int steps,
            boolean isComplete,
            long nanos,
            @Nullable String promise,
            @Nullable String story) {

        double seconds() {
            return nanos / 1e9;
        }
    }

    private static final Logger SILENT = Logger.getLogger("dev.holdfast.lock");

    private final Scenario scenario;
    private final UnaryOperator<Script> scripts;
    /** For each situation: the one before it, and the number of the choice that leads to it. */
    private int[] parents = new int[1024];

    private short[] choices = new short[1024];
    private short[] depths = new short[1024];
    private int states;
    private long transitions;

    private Explorer(Scenario scenario, UnaryOperator<Script> scripts) {
        SILENT.setLevel(Level.OFF);
        this.scenario = scenario;
        this.scripts = scripts;
    }

    static Explored explore(Scenario scenario, UnaryOperator<Script> scripts, int mostStates, long mostSeconds) {
        return new Explorer(scenario, scripts).run(mostStates, TimeUnit.SECONDS.toNanos(mostSeconds));
    }

    private Explored run(int mostStates, long mostNanos) {
        long began = System.nanoTime();
        Set<Long> known = new HashSet<>();
        try (Situation first = begin()) {
            known.add(first.digest());
            add(-1, 0, 0);
            if (first.promises.broken() != null) {
                return broken(new int[0], first, began);
            }
        }
        for (int state = 0; state < states; state++) {
            if (states >= mostStates || System.nanoTime() - began > mostNanos) {
                return explored(false, began, 0, null, null);
            }
            int[] path = path(state);
            int next = 0;
            int last;
            do {
                try (Situation situation = begin()) {
                    List<Choice> open = follow(situation, path);
                    last = open.size();
                    if (last > 0) {
                        situation.take(open.get(next));
                        transitions++;
                        if (situation.promises.broken() != null) {
                            int[] whole = Arrays.copyOf(path, path.length + 1);
                            whole[path.length] = next;
                            return broken(whole, situation, began);
                        }
                        if (known.add(situation.digest())) {
                            add(state, next, path.length + 1);
                        }
                    }
                }
            } while (++next < last);
        }
        return explored(true, began, 0, null, null);
    }

    private Situation begin() {
        return new Situation(scenario, scripts);
    }

    private static List<Choice> follow(Situation situation, int[] path) {
        for (int number : path) {
            situation.take(situation.choices().get(number));
        }
        return situation.choices();
    }

    private void add(int parent, int choice, int depth) {
        if (states == parents.length) {
            parents = Arrays.copyOf(parents, 2 * states);
            choices = Arrays.copyOf(choices, 2 * states);
            depths = Arrays.copyOf(depths, 2 * states);
        }
        parents[states] = parent;
        choices[states] = (short) choice;
        depths[states] = (short) depth;
        states++;
    }

    private int[] path(int state) {
        int[] path = new int[depths[state]];
        int now = state;
        for (int i = path.length - 1; i >= 0; i--) {
            path[i] = choices[now];
            now = parents[now];
        }
        return path;
    }

    private Explored broken(int[] path, Situation situation, long began) {
        Promises.Broken broken = situation.promises.broken();
        String promise = broken == null ? null : broken.promise();
        return explored(false, began, path.length, promise, Story.tell(scenario, scripts, path));
    }

    private Explored explored(
            boolean isComplete, long began, int steps, @Nullable String promise, @Nullable String story) {
        int depth = depths[states - 1];
        return new Explored(
                scenario.name(),
                states,
                transitions,
                depth,
                steps,
                isComplete,
                System.nanoTime() - began,
                promise,
                story);
    }
}
