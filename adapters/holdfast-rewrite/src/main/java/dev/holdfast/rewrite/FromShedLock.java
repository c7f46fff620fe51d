package dev.holdfast.rewrite;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.openrewrite.Option;
import org.openrewrite.Recipe;

/**
 * Moves an application from ShedLock to Holdfast. First ShedLock gets Holdfast's provider; then each job that means the same under {@code
 * @DistributedLock} is moved, and what nothing uses any more is removed. What a recipe cannot decide stays under ShedLock's API, with a comment and a
 * link to the manual.
 */
public final class FromShedLock extends Recipe {

    @Option(
            displayName = "What `lockAtMostFor` becomes",
            description =
                    "`lease`, the same length and not renewed, or `watchdog`, renewed while the method runs. By default `lease`.",
            valid = {"lease", "watchdog"},
            required = false,
            example = "watchdog")
    private final @Nullable String lockAtMostFor;

    @Option(
            displayName = "What `lockAtLeastFor` becomes",
            description =
                    "`minHold`, or with `oncePerTick` an `@OncePerTick` where the schedule has ticks. By default `minHold`."
                            + " Take `oncePerTick` only when no instance uses ShedLock any more.",
            valid = {"minHold", "oncePerTick"},
            required = false,
            example = "oncePerTick")
    private final @Nullable String lockAtLeastFor;

    /** Creates the recipe. Null leaves an option to its default. */
    @JsonCreator
    public FromShedLock(
            @JsonProperty("lockAtMostFor") @Nullable String lockAtMostFor,
            @JsonProperty("lockAtLeastFor") @Nullable String lockAtLeastFor) {
        this.lockAtMostFor = lockAtMostFor;
        this.lockAtLeastFor = lockAtLeastFor;
    }

    /** {@return what `lockAtMostFor` becomes} */
    public @Nullable String getLockAtMostFor() {
        return lockAtMostFor;
    }

    /** {@return what `lockAtLeastFor` becomes} */
    public @Nullable String getLockAtLeastFor() {
        return lockAtLeastFor;
    }

    @Override
    public String getDisplayName() {
        return "Move from ShedLock to Holdfast";
    }

    @Override
    public String getDescription() {
        return "Replaces ShedLock's provider, annotations, assertions and dependencies by Holdfast's. What cannot be decided gets a comment.";
    }

    @Override
    public List<Recipe> getRecipeList() {
        return List.of(
                new ReplaceLockProvider(),
                new MoveSchedulerLocks("watchdog".equals(lockAtMostFor), "oncePerTick".equals(lockAtLeastFor)),
                new RemoveShedLock());
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof FromShedLock that
                && Objects.equals(lockAtMostFor, that.lockAtMostFor)
                && Objects.equals(lockAtLeastFor, that.lockAtLeastFor);
    }

    @Override
    public int hashCode() {
        return Objects.hash(lockAtMostFor, lockAtLeastFor);
    }
}
