package dev.holdfast.lock.explore;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.internal.background.Timer;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Changes each field of the clients, and looks whether the situation counts as another one. */
class DigestTest {

    private static final int MOMENTS = 6;
    private static final long HORIZON = TimeUnit.SECONDS.toNanos(29);

    @ParameterizedTest
    @ValueSource(strings = {"plain", "fair", "a reader and a writer", "one permit", "two names", "a record"})
    void aClientThatDiffersInAnyFieldIsAnotherSituation(String scenario) throws IllegalAccessException {
        Set<String> unseen = new TreeSet<>();
        for (int turn = 0; turn < 3; turn++) {
            try (Situation situation = play(scenario, 9 + 5 * turn, turn)) {
                long before = situation.digest();
                for (Object object : clientState(situation, false)) {
                    for (Field field : changeable(object)) {
                        Object present = field.get(object);
                        if (isFar(field, present, situation)) {
                            continue;
                        }
                        field.set(object, other(present));
                        if (situation.digest() == before) {
                            unseen.add(name(field));
                        }
                        field.set(object, present);
                    }
                }
                assertThat(situation.digest()).isEqualTo(before);
            }
        }
        assertThat(unseen).isEmpty();
    }

    /** Returns whether this is the time of a task that is due after the horizon, such as the end of a caller's wait, or its position in the heap. */
    private static boolean isFar(Field field, Object value, Situation situation) {
        if (field.getDeclaringClass() != Timer.Timeout.class) {
            return false;
        }
        long now = HeapDigest.FIRST_NANOS + situation.now();
        return field.getName().equals("index") || (value instanceof Long at && at - now >= HORIZON);
    }

    private static Situation play(String scenario, int steps, int turn) {
        Situation situation =
                new Situation(Scenarios.named(scenario).with(Set.of(), 0, MOMENTS), UnaryOperator.identity());
        for (int i = 0; i < steps; i++) {
            List<Choice> choices = situation.choices();
            if (!choices.isEmpty()) {
                situation.take(choices.get((i * turn) % choices.size()));
            }
        }
        return situation;
    }

    private static String name(Field field) {
        return field.getDeclaringClass().getName() + "." + field.getName();
    }

    private static Object other(Object present) {
        if (present instanceof Boolean yes) {
            return !yes;
        }
        return present instanceof Long number ? (Object) (number + 1_000_003L) : (Object) ((Integer) present + 1);
    }

    private static List<Field> changeable(Object object) {
        List<Field> found = new ArrayList<>();
        // Constants and values do not change: a situation has others.
        if (object.getClass().isRecord() || object.getClass().isHidden() || object instanceof Enum<?>) {
            return found;
        }
        for (Field field : fields(object.getClass())) {
            Class<?> type = field.getType();
            if ((type == boolean.class || type == int.class || type == long.class) && !HeapDigest.isLeftOut(field)) {
                found.add(field);
            }
        }
        return found;
    }

    private static List<Field> fields(Class<?> type) {
        List<Field> fields = new ArrayList<>();
        for (Class<?> now = type; now != null && now.getName().startsWith("dev.holdfast"); now = now.getSuperclass()) {
            for (Field field : now.getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers())) {
                    field.setAccessible(true);
                    fields.add(field);
                }
            }
        }
        return fields;
    }

    /** Returns the objects of the product and of the scenario that belong to a client; with or without those whose types are left out. */
    private static Collection<Object> clientState(Situation situation, boolean withLeftOut)
            throws IllegalAccessException {
        Set<Object> met = Collections.newSetFromMap(new IdentityHashMap<>());
        List<Object> found = new ArrayList<>();
        Deque<Object> open = new ArrayDeque<>();
        situation.callers().forEach(caller -> open.add(caller.process));
        while (!open.isEmpty()) {
            Object object = open.remove();
            if (object == null || !met.add(object) || object instanceof Situation || object instanceof Server) {
                continue;
            }
            Class<?> type = object.getClass();
            if (HeapDigest.isLeftOut(type) && !withLeftOut) {
                continue;
            }
            if (object instanceof Map<?, ?> map) {
                map.forEach((key, value) -> {
                    add(open, key);
                    add(open, value);
                });
            } else if (object instanceof Iterable<?> elements) {
                elements.forEach(element -> add(open, element));
            } else if (object instanceof AtomicReference<?> reference) {
                add(open, reference.get());
            } else if (type.isArray() && !type.getComponentType().isPrimitive()) {
                for (int i = 0; i < Array.getLength(object); i++) {
                    add(open, Array.get(object, i));
                }
            } else if (type.getName().startsWith("dev.holdfast")) {
                found.add(object);
                for (Field field : fields(type)) {
                    if (!field.getType().isPrimitive()) {
                        add(open, field.get(object));
                    }
                }
            }
        }
        return found;
    }

    private static void add(Deque<Object> open, Object object) {
        if (object != null) {
            open.add(object);
        }
    }

    /** What the digest leaves out although it changes: counts, and when names of clients were written. */
    private static final Set<String> CHANGES = Set.of(
            "dev.holdfast.lock.internal.event.Counters.acquired",
            "dev.holdfast.lock.internal.event.Counters.wokenBySignal",
            "dev.holdfast.lock.internal.inspect.ClientNames.everWritten",
            "dev.holdfast.lock.internal.inspect.ClientNames.next");

    @Test
    void whatIsLeftOutDoesNotChange() throws IllegalAccessException {
        Set<String> changed = new TreeSet<>();
        for (String scenario :
                List.of("plain", "fair", "two writers", "one permit", "two names", "a record", "an extension")) {
            Situation situation =
                    new Situation(Scenarios.named(scenario).with(Set.of(), 0, MOMENTS), UnaryOperator.identity());
            Map<Object, String> before = leftOut(situation);
            for (int i = 0; i < 20; i++) {
                List<Choice> choices = situation.choices();
                if (!choices.isEmpty()) {
                    situation.take(choices.get(i % choices.size()));
                }
            }
            leftOut(situation).forEach((object, text) -> {
                String first = before.get(object);
                if (first != null && !first.equals(text)) {
                    String[] one = first.split("\n");
                    String[] other = text.split("\n");
                    for (int i = 0; i < one.length; i++) {
                        if (!one[i].equals(other[i])) {
                            changed.add(one[i].substring(0, one[i].indexOf('=')));
                        }
                    }
                }
            });
            situation.close();
        }
        assertThat(changed).isEqualTo(CHANGES);
    }

    /** Returns the objects that are left out, each with a line for each field. */
    private static Map<Object, String> leftOut(Situation situation) throws IllegalAccessException {
        Set<Object> counted = Collections.newSetFromMap(new IdentityHashMap<>());
        counted.addAll(clientState(situation, false));
        Map<Object, String> found = new IdentityHashMap<>();
        for (Object object : clientState(situation, true)) {
            if (!counted.contains(object)) {
                StringBuilder text = new StringBuilder();
                for (Field field : fields(object.getClass())) {
                    Object value = field.get(object);
                    String seen = value instanceof Number
                                    || value instanceof Boolean
                                    || value instanceof Map
                                    || value instanceof Collection
                            ? value.toString()
                            : Integer.toString(System.identityHashCode(value));
                    text.append(name(field))
                            .append('=')
                            .append(seen.replace("\n", " "))
                            .append('\n');
                }
                found.put(object, text.toString());
            }
        }
        return found;
    }
}
