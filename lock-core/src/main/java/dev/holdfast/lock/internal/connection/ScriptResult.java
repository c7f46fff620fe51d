package dev.holdfast.lock.internal.connection;

import java.util.List;

/**
 * The answer of a script or another command.
 *
 * @param values the values that Redis returned
 * @param sentAt when the command was written to its open connection. No server can have executed it earlier
 */
public record ScriptResult(List<Object> values, long sentAt) {

    /** Returns the number of values. */
    public int size() {
        return values.size();
    }

    /** Returns a value that is a number. */
    public long number(int index) {
        return (Long) values.get(index);
    }

    /** Returns a value that is a text. */
    public String text(int index) {
        return (String) values.get(index);
    }
}
