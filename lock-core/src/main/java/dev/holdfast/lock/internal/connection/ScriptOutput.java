package dev.holdfast.lock.internal.connection;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the answer of a script or another command: numbers, texts, nothing, and lists of them. A single value is a list of one. Lettuce's own form of it keeps a stack
 * for every answer; nearly all of ours are one number or one flat list.
 */
final class ScriptOutput extends CommandOutput<String, String, List<Object>> {

    /** A list that the present one is an element of, and how many it still waits for. */
    private record Outer(List<@Nullable Object> list, int missing) {}

    private @Nullable List<@Nullable Object> list;
    private int missing;
    private @Nullable Deque<Outer> outer;

    @SuppressWarnings("NullAway")
    ScriptOutput() {
        super(StringCodec.UTF8, null);
    }

    @Override
    public void set(@Nullable ByteBuffer bytes) {
        add(bytes == null ? null : codec.decodeValue(bytes));
    }

    @Override
    public void set(long number) {
        add(number);
    }

    @Override
    public void multi(int count) {
        List<@Nullable Object> begun = new ArrayList<>(Math.max(0, count));
        if (list != null) {
            list.add(begun);
            if (outer == null) {
                outer = new ArrayDeque<>();
            }
            outer.push(new Outer(list, missing - 1));
        }
        list = begun;
        missing = count;
        leaveFullLists();
    }

    private void add(@Nullable Object value) {
        if (list == null) {
            list = new ArrayList<>(1);
        }
        list.add(value);
        missing--;
        leaveFullLists();
    }

    private void leaveFullLists() {
        while (missing <= 0 && outer != null && !outer.isEmpty()) {
            Outer next = outer.pop();
            list = next.list();
            missing = next.missing();
        }
    }

    @Override
    @SuppressWarnings({"unchecked", "NullAway"})
    public @Nullable List<Object> get() {
        return (List<Object>) (List<?>) list;
    }
}
