package dev.holdfast.lock.internal.connection;

import java.util.List;

/**
 * The answer of a script or another command.
 *
 * @param values the values that Redis returned
 * @param sentAt when the command was written to its open connection. No server can have executed it earlier
 */
public record ScriptResult(List<Object> values, long sentAt) {}
