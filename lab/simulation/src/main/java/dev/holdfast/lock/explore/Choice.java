package dev.holdfast.lock.explore;

import dev.holdfast.lock.explore.Scenario.Fault;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Something that may happen next.
 *
 * @param who the process to which it happens, or Redis, or time
 * @param fault what it is if it counts as something that goes wrong; null if not
 */
record Choice(String who, @Nullable Fault fault, Supplier<String> what, Runnable action) {

    Choice(String who, Supplier<String> what, Runnable action) {
        this(who, null, what, action);
    }
}
