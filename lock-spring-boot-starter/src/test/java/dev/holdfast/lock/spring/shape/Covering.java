package dev.holdfast.lock.spring.shape;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Chooses shapes so that each possible pair of values is in one of them. A shape has at most one value that is a reason to refuse it, because the refusal
 * says nothing about its other pairs.
 */
final class Covering {

    private static final int STEPS = 1_000_000;
    private static final int CHOICES = Shape.CHOICES.size();

    private final Rules rules = new Rules();
    private final Random random;

    /** The values of all choices, and the index of the first value of each choice. */
    private final List<Enum<?>> all = new ArrayList<>();

    private final int[] first = new int[CHOICES];
    private final boolean[][] covered;
    private int steps;

    private record Pair(int first, int second) {}

    private Covering(long seed) {
        this.random = new Random(seed);
        for (int i = 0; i < CHOICES; i++) {
            first[i] = all.size();
            Collections.addAll(all, Shape.CHOICES.get(i).getEnumConstants());
        }
        this.covered = new boolean[all.size()][all.size()];
    }

    /**
     * Returns shapes with all possible pairs.
     *
     * @param seed decides about all other values
     */
    static Set<Shape> shapes(long seed) {
        return new Covering(seed).shapes();
    }

    private Set<Shape> shapes() {
        Set<Shape> shapes = new LinkedHashSet<>();
        for (Pair pair : pairs()) {
            if (!covered[pair.first][pair.second]) {
                Enum<?>[] values = new Enum<?>[CHOICES];
                values[choice(pair.first)] = all.get(pair.first);
                values[choice(pair.second)] = all.get(pair.second);
                // Otherwise, the rules exclude the pair.
                if (complete(values)) {
                    add(values, shapes);
                }
            }
        }
        return shapes;
    }

    private void add(Enum<?>[] values, Set<Shape> shapes) {
        shapes.add(Shape.of(values));
        for (int i = 0; i < CHOICES; i++) {
            for (int j = 0; j < CHOICES; j++) {
                if (!isRefused(values, values[i], values[j])) {
                    covered[index(i, values[i])][index(j, values[j])] = true;
                }
            }
        }
    }

    /** Returns whether a value other than these two is a reason to refuse the shape. */
    private static boolean isRefused(Enum<?>[] values, Enum<?> first, Enum<?> second) {
        for (Enum<?> value : values) {
            if (value != first && value != second && Rules.isReasonToRefuse(value)) {
                return true;
            }
        }
        return false;
    }

    private static boolean hasTwoReasons(Enum<?>[] values) {
        return Stream.of(values)
                        .filter(value -> value != null && Rules.isReasonToRefuse(value))
                        .count()
                > 1;
    }

    private int index(int choice, Enum<?> value) {
        return first[choice] + value.ordinal();
    }

    private int choice(int value) {
        return Shape.CHOICES.indexOf(all.get(value).getDeclaringClass());
    }

    private List<Pair> pairs() {
        List<Pair> pairs = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            for (int j = i + 1; j < all.size(); j++) {
                if (choice(i) != choice(j)) {
                    pairs.add(new Pair(i, j));
                }
            }
        }
        Collections.shuffle(pairs, random);
        return pairs;
    }

    /** Chooses the values that are null. Returns false if no values are possible. */
    private boolean complete(Enum<?>[] values) {
        steps = 0;
        return complete(values, 0);
    }

    private boolean complete(Enum<?>[] values, int next) {
        if (steps++ > STEPS) {
            throw new IllegalStateException("No decision about " + Arrays.toString(values));
        }
        if (hasTwoReasons(values) || rules.forbid(values)) {
            return false;
        }
        if (next == CHOICES) {
            return true;
        }
        if (values[next] != null) {
            return complete(values, next + 1);
        }
        for (Enum<?> value : candidates(values, next)) {
            values[next] = value;
            if (complete(values, next + 1)) {
                return true;
            }
        }
        values[next] = null;
        return false;
    }

    /** Returns the values of a choice, beginning with those that cover most pairs. */
    private List<Enum<?>> candidates(Enum<?>[] values, int next) {
        List<Enum<?>> candidates =
                new ArrayList<>(List.of(Shape.CHOICES.get(next).getEnumConstants()));
        Collections.shuffle(candidates, random);
        int[] covers = new int[candidates.size()];
        candidates.forEach(candidate -> covers[candidate.ordinal()] = covers(values, index(next, candidate)));
        candidates.sort(Comparator.<Enum<?>>comparingInt(candidate -> Rules.isReasonToRefuse(candidate) ? 1 : 0)
                .thenComparingInt(candidate -> -covers[candidate.ordinal()]));
        return candidates;
    }

    private int covers(Enum<?>[] values, int candidate) {
        int covers = 0;
        for (int i = 0; i < CHOICES; i++) {
            if (values[i] != null && !covered[index(i, values[i])][candidate]) {
                covers++;
            }
        }
        return covers;
    }
}
