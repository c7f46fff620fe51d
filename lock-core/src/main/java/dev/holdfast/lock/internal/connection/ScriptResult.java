package dev.holdfast.lock.internal.connection;

import java.util.List;

/**
 * A script's answer.
 *
 * @param values what it returned
 * @param sentAt when it was written to its open connection: no server can have executed it earlier
 */
public record ScriptResult(List<Object> values, long sentAt) {}
