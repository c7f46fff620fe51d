package dev.holdfast.lock.internal.background;

import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Handles the exceptions with which futures fail. */
public final class Failures {

    private Failures() {}

    /** Returns the original failure without the wrappers that dependent stages add. Returns null if nothing failed. */
    public static @Nullable Throwable unwrapped(@Nullable Throwable thrown) {
        Throwable failure = thrown;
        while (failure instanceof CompletionException && failure.getCause() != null) {
            failure = failure.getCause();
        }
        return failure;
    }
}
