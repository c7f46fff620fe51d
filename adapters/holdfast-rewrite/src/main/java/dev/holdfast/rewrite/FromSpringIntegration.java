package dev.holdfast.rewrite;

import java.util.List;
import org.openrewrite.Recipe;

/**
 * Puts {@code HoldfastLockRegistry} in place of Spring Integration's {@code RedisLockRegistry}. All that uses a {@code LockRegistry} stays as it is.
 * What a recipe cannot decide gets a comment with a link to the manual.
 */
public final class FromSpringIntegration extends Recipe {

    /** Creates the recipe. */
    public FromSpringIntegration() {}

    @Override
    public String getDisplayName() {
        return "Move from Spring Integration's `RedisLockRegistry` to Holdfast";
    }

    @Override
    public String getDescription() {
        return "Replaces the registry's bean and its type, and the dependency once nothing uses it any more.";
    }

    @Override
    public List<Recipe> getRecipeList() {
        return List.of(
                new MoveLockRegistry(),
                new ReplaceDependencies(
                        "org.springframework.integration",
                        "spring-integration-redis",
                        "org\\.springframework\\.integration\\.redis\\.",
                        List.of(
                                BuildFile.Module.holdfast("lock-spring-boot-starter"),
                                BuildFile.Module.holdfast("lock-spring-integration"))));
    }
}
