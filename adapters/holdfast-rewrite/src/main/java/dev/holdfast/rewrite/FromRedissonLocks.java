package dev.holdfast.rewrite;

import java.util.List;
import org.openrewrite.Recipe;

/**
 * Moves an application from Redisson's locks to Holdfast's, which have the same names and formats in Redis. What else uses Redisson stays. What a recipe
 * cannot decide gets a comment with a link to the manual, and then no lock moves.
 */
public final class FromRedissonLocks extends Recipe {

    /** Creates the recipe. */
    public FromRedissonLocks() {}

    @Override
    public String getDisplayName() {
        return "Move from Redisson's locks to Holdfast";
    }

    @Override
    public String getDescription() {
        return "Replaces `RLock` by `LeaseLock`, and the dependency once nothing uses Redisson any more.";
    }

    @Override
    public List<Recipe> getRecipeList() {
        return List.of(
                new MoveRedissonLocks(),
                new ReplaceDependencies(
                        "org.redisson",
                        "redisson",
                        // Redisson's starter also brings Spring Data Redis, a connection factory, and caches.
                        "org\\.redisson\\.|org\\.springframework\\.(data\\.redis|cache|session)\\.",
                        List.of(BuildFile.Module.holdfast("lock-spring-boot-starter"))));
    }
}
