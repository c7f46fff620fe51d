package dev.holdfast.lock.explore;

import java.util.function.Supplier;

/**
 * Something that may happen next.
 *
 * @param who the process to which it happens, or Redis, or time
 * @param isFault whether it goes wrong, so that it counts
 */
record Choice(String who, boolean isFault, Supplier<String> what, Runnable action) {}
