package dev.holdfast.lock.explore;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Compares what may follow where the exploration takes two situations for the same. */
final class SameFuture {

    private final Scenario scenario;

    private SameFuture(Scenario scenario) {
        this.scenario = scenario;
    }

    /** Returns where two situations count as the same and differ in what may follow. */
    static List<String> differences(Scenario scenario, int mostStates) {
        return new SameFuture(scenario).search(mostStates);
    }

    private List<String> search(int mostStates) {
        List<String> differences = new ArrayList<>();
        Map<Long, int[]> known = new HashMap<>();
        Deque<int[]> open = new ArrayDeque<>();
        open.add(new int[0]);
        while (!open.isEmpty() && known.size() < mostStates) {
            int[] path = open.remove();
            List<Long> next = following(path);
            for (int i = 0; i < next.size(); i++) {
                int[] longer = Arrays.copyOf(path, path.length + 1);
                longer[path.length] = i;
                int[] before = known.putIfAbsent(next.get(i), longer);
                if (before == null) {
                    open.add(longer);
                } else if (!sorted(following(before)).equals(sorted(following(longer)))) {
                    differences.add(Arrays.toString(before) + " and " + Arrays.toString(longer));
                }
            }
        }
        return differences;
    }

    private static List<Long> sorted(List<Long> numbers) {
        return numbers.stream().sorted().toList();
    }

    /** Returns the numbers of the situations after one more step. */
    private List<Long> following(int[] path) {
        List<Long> next = new ArrayList<>();
        int last = 1;
        for (int i = 0; i < last; i++) {
            try (Situation situation = new Situation(scenario, UnaryOperator.identity())) {
                for (int number : path) {
                    situation.take(situation.choices().get(number));
                }
                List<Choice> choices = situation.choices();
                last = choices.size();
                if (i < last) {
                    situation.take(choices.get(i));
                    next.add(situation.digest());
                }
            }
        }
        return next;
    }
}
