package dev.holdfast.lock.explore;

import dev.holdfast.lock.internal.connection.Script;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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

    private static final int MOST_LIVE = 2_000;
    private static final Logger SILENT = Logger.getLogger("dev.holdfast.lock");

    private final Scenario scenario;
    private final UnaryOperator<Script> scripts;
    /** For each situation: the one before it, and the number of the choice that leads to it. */
    private int[] parents = new int[1024];

    private short[] choices = new short[1024];
    private short[] depths = new short[1024];
    private int paths;
    /** How many times time had passed at most when a situation was reached. Who has more time left can do all that another can. */
    private final Map<Long, Integer> known = new HashMap<>();
    /** The latest situations, as long as they are not too many: their stories need not be played again. */
    private final Map<Integer, Situation> live = new HashMap<>();

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
        try {
            Situation first = new Situation(scenario, scripts);
            if (first.promises.broken() != null) {
                return broken(new int[0], first, began);
            }
            meet(first, -1, 0, 0);
            for (int from = 0; from < paths; from++) {
                if (known.size() >= mostStates || System.nanoTime() - began > mostNanos) {
                    return explored(false, began, 0, null, null);
                }
                int[] path = path(from);
                int next = 0;
                int last;
                do {
                    Situation situation = reach(from, path);
                    List<Choice> open = situation.choices();
                    last = open.size();
                    if (last == 0) {
                        situation.close();
                    } else {
                        situation.take(open.get(next));
                        transitions++;
                        if (situation.promises.broken() != null) {
                            int[] whole = Arrays.copyOf(path, path.length + 1);
                            whole[path.length] = next;
                            return broken(whole, situation, began);
                        }
                        meet(situation, from, next, path.length + 1);
                    }
                } while (++next < last);
            }
            return explored(true, began, 0, null, null);
        } finally {
            live.values().forEach(Situation::close);
        }
    }

    private void meet(Situation situation, int parent, int choice, int depth) {
        long digest = situation.digest();
        Integer before = known.get(digest);
        if (before != null && before <= situation.moments()) {
            situation.close();
            return;
        }
        known.put(digest, situation.moments());
        if (live.size() < MOST_LIVE && !situation.hasThreads()) {
            live.put(paths, situation);
        } else {
            situation.close();
        }
        add(parent, choice, depth);
    }

    private Situation reach(int number, int[] path) {
        Situation present = live.remove(number);
        if (present != null) {
            return present;
        }
        Situation situation = new Situation(scenario, scripts);
        for (int step : path) {
            situation.take(situation.choices().get(step));
        }
        return situation;
    }

    private void add(int parent, int choice, int depth) {
        if (paths == parents.length) {
            parents = Arrays.copyOf(parents, 2 * paths);
            choices = Arrays.copyOf(choices, 2 * paths);
            depths = Arrays.copyOf(depths, 2 * paths);
        }
        parents[paths] = parent;
        choices[paths] = (short) choice;
        depths[paths] = (short) depth;
        paths++;
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
        int depth = depths[paths - 1];
        return new Explored(
                scenario.name(),
                known.size(),
                transitions,
                depth,
                steps,
                isComplete,
                System.nanoTime() - began,
                promise,
                story);
    }
}
