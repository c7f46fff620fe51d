package dev.holdfast.lock.internal.background;

import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** What futures complete with. */
public final class Failures {

    private Failures() {}

    /** The failure itself, where a dependent stage has wrapped it. Null where nothing failed. */
    public static @Nullable Throwable unwrapped(@Nullable Throwable thrown) {
        Throwable failure = thrown;
        while (failure instanceof CompletionException && failure.getCause() != null) {
            failure = failure.getCause();
        }
        return failure;
    }
}
