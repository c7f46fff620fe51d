package dev.holdfast.lock.internal.connection;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the answer of a script or another command: a number, a text, a null value, or a list of these. A single value becomes a list with one
 * element. The elements of a list in a list, which only SCAN returns, become elements of the outer list. The corresponding class of Lettuce allocates
 * a stack for every answer.
 */
final class ScriptOutput extends CommandOutput<String, String, List<Object>> {

    private @Nullable List<@Nullable Object> list;

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
        if (list == null) {
            list = new ArrayList<>(Math.max(0, count));
        }
    }

    private void add(@Nullable Object value) {
        if (list == null) {
            list = Collections.singletonList(value);
        } else {
            list.add(value);
        }
    }

    @Override
    @SuppressWarnings({"unchecked", "NullAway"})
    public @Nullable List<Object> get() {
        return (List<Object>) (List<?>) list;
    }
}
