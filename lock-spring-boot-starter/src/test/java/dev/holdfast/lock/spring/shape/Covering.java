package dev.holdfast.lock.spring.shape;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Chooses shapes so that each possible pair of values is in one of them. */
final class Covering {

    private final Rules rules = new Rules();
    private final Random random;
    private final Set<Pair> open = new LinkedHashSet<>();
    private int steps;

    private record Pair(Enum<?> first, Enum<?> second) {}

    private Covering(long seed) {
        this.random = new Random(seed);
    }

    /**
     * Returns shapes with all possible pairs.
     *
     * @param seed decides about all other values
     * @param atLeast fills up with random shapes
     */
    static Set<Shape> shapes(long seed, int atLeast) {
        return new Covering(seed).shapes(atLeast);
    }

    private Set<Shape> shapes(int atLeast) {
        Set<Shape> shapes = new LinkedHashSet<>();
        List<Pair> pairs = pairs();
        open.addAll(pairs);
        for (Pair pair : pairs) {
            if (open.contains(pair)) {
                Enum<?>[] values = new Enum<?>[Shape.CHOICES.size()];
                values[choice(pair.first)] = pair.first;
                values[choice(pair.second)] = pair.second;
                if (complete(values)) {
                    add(values, shapes);
                } else {
                    // The rules exclude it.
                    open.remove(pair);
                }
            }
        }
        while (shapes.size() < atLeast) {
            Enum<?>[] values = new Enum<?>[Shape.CHOICES.size()];
            if (complete(values)) {
                add(values, shapes);
            }
        }
        return shapes;
    }

    private void add(Enum<?>[] values, Set<Shape> shapes) {
        shapes.add(Shape.of(values));
        for (Enum<?> first : values) {
            for (Enum<?> second : values) {
                open.remove(new Pair(first, second));
            }
        }
    }

    private List<Pair> pairs() {
        List<Pair> pairs = new ArrayList<>();
        for (int i = 0; i < Shape.CHOICES.size(); i++) {
            for (int j = i + 1; j < Shape.CHOICES.size(); j++) {
                for (Enum<?> first : Shape.CHOICES.get(i).getEnumConstants()) {
                    for (Enum<?> second : Shape.CHOICES.get(j).getEnumConstants()) {
                        pairs.add(new Pair(first, second));
                    }
                }
            }
        }
        Collections.shuffle(pairs, random);
        return pairs;
    }

    private static int choice(Enum<?> value) {
        return Shape.CHOICES.indexOf(value.getDeclaringClass());
    }

    /** Chooses the values that are null. Returns false if no values are possible. */
    private boolean complete(Enum<?>[] values) {
        steps = 0;
        return complete(values, 0);
    }

    private boolean complete(Enum<?>[] values, int next) {
        if (steps++ > 1_000_000) {
            throw new IllegalStateException("No decision about " + Arrays.toString(values));
        }
        if (rules.forbid(values)) {
            return false;
        }
        if (next == values.length) {
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

    /** The values, in an order that covers many pairs early. */
    private List<Enum<?>> candidates(Enum<?>[] values, int next) {
        List<Enum<?>> candidates =
                new ArrayList<>(List.of(Shape.CHOICES.get(next).getEnumConstants()));
        Collections.shuffle(candidates, random);
        candidates.sort(Comparator.comparingInt((Enum<?> candidate) -> covers(values, next, candidate))
                .reversed());
        return candidates;
    }

    private int covers(Enum<?>[] values, int choice, Enum<?> candidate) {
        int covers = 0;
        for (int i = 0; i < values.length; i++) {
            if (values[i] != null
                    && open.contains(i < choice ? new Pair(values[i], candidate) : new Pair(candidate, values[i]))) {
                covers++;
            }
        }
        return covers;
    }
}
