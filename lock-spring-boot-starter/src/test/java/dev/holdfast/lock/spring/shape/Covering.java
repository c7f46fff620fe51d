package dev.holdfast.lock.spring.shape;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Chooses shapes so that each possible value, and then each possible pair of values, is in one of them. A shape has at most one value that is a reason
 * to refuse it, because the refusal says nothing about its other pairs.
 */
final class Covering {

    private static final int TRIES = 3_000;
    /** Of so many possible shapes, the one with most new pairs is taken. */
    private static final int CANDIDATES = 5;

    private final Random random;
    private final List<Enum<?>> all = Shape.CHOICES.stream()
            .flatMap(choice -> Stream.<Enum<?>>of(choice.getEnumConstants()))
            .toList();
    private final Set<Set<Enum<?>>> covered = new HashSet<>();
    private final Set<Shape> shapes = new LinkedHashSet<>();

    private Covering(long seed) {
        this.random = new Random(seed);
    }

    /**
     * Returns shapes with all possible pairs.
     *
     * @param seed decides about all other values
     * @param limit the number of shapes at most
     */
    static Set<Shape> shapes(long seed, int limit) {
        Covering covering = new Covering(seed);
        List<Set<Enum<?>>> pairs = new ArrayList<>();
        for (int i = 0; i < covering.all.size(); i++) {
            for (int j = 0; j < i; j++) {
                if (covering.all.get(i).getDeclaringClass()
                        != covering.all.get(j).getDeclaringClass()) {
                    pairs.add(Set.of(covering.all.get(i), covering.all.get(j)));
                }
            }
        }
        Collections.shuffle(pairs, covering.random);
        covering.all.forEach(value -> pairs.add(0, Set.of(value)));
        for (Set<Enum<?>> wanted : pairs) {
            if (covering.shapes.size() < limit && !covering.covered.contains(wanted)) {
                covering.cover(wanted);
            }
        }
        return covering.shapes;
    }

    /** Adds a shape with these values, unless the rules exclude them. */
    private void cover(Set<Enum<?>> wanted) {
        int reasons = reasons(wanted);
        if (reasons > 1) {
            return;
        }
        Shape best = null;
        int most = 0;
        for (int i = 0, found = 0; i < TRIES && found < CANDIDATES; i++) {
            Shape shape = with(wanted);
            if (!Rules.forbid(shape) && reasons(List.of(shape.values())) == reasons) {
                found++;
                Set<Set<Enum<?>>> more = coveredBy(shape);
                more.removeAll(covered);
                if (more.size() > most) {
                    best = shape;
                    most = more.size();
                }
            }
        }
        if (best != null) {
            shapes.add(best);
            covered.addAll(coveredBy(best));
        }
    }

    private Shape with(Set<Enum<?>> wanted) {
        Enum<?>[] values = new Enum<?>[Shape.CHOICES.size()];
        for (int i = 0; i < values.length; i++) {
            Class<? extends Enum<?>> choice = Shape.CHOICES.get(i);
            List<? extends Enum<?>> options = options(choice, (Call) values[0]);
            values[i] = options.get(random.nextInt(options.size()));
            for (Enum<?> each : wanted) {
                if (each.getDeclaringClass() == choice) {
                    values[i] = each;
                }
            }
        }
        return Shape.of(values);
    }

    /** The values of a choice, of which a call excludes most. The first choice is the call. */
    private static List<? extends Enum<?>> options(Class<? extends Enum<?>> choice, Call call) {
        if (choice == Visibility.class) {
            return List.copyOf(call.recipe().visibilities());
        }
        if (choice == Result.class) {
            return List.copyOf(call.recipe().results());
        }
        return choice == Signature.class && call.recipe().parameters() != null
                ? List.of(Signature.GIVEN)
                : List.of(choice.getEnumConstants());
    }

    private static int reasons(Collection<Enum<?>> values) {
        int reasons = 0;
        for (Enum<?> value : values) {
            reasons += Rules.isReasonToRefuse(value) ? 1 : 0;
        }
        return reasons;
    }

    /** Returns the values and pairs of values that a shape covers. If it is refused for one of its values, it covers only those with that value. */
    private static Set<Set<Enum<?>>> coveredBy(Shape shape) {
        Set<Set<Enum<?>>> covered = new HashSet<>();
        List<Enum<?>> values = List.of(shape.values());
        int reasons = reasons(values);
        for (Enum<?> one : values) {
            for (Enum<?> other : values) {
                Set<Enum<?>> pair = one == other ? Set.of(one) : Set.of(one, other);
                if (reasons(pair) == reasons) {
                    covered.add(pair);
                }
            }
        }
        return covered;
    }
}
