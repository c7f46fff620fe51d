package dev.holdfast.lock.internal.connection;

import java.util.List;

/**
 * The answer of a script or another command.
 *
 * @param values what it returned
 * @param sentAt when it was written to its open connection: no server can have executed it earlier
 */
public record ScriptResult(List<Object> values, long sentAt) {}
