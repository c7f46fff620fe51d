package dev.holdfast.rewrite;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.openrewrite.Recipe;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;

/** Moves methods with {@code @Lock4j} to {@code @DistributedLock}. What a table cannot decide stays, with a comment and a link to the manual. */
public final class FromLock4j extends Recipe {

    /** Creates the recipe. */
    public FromLock4j() {}

    @Override
    public String getDisplayName() {
        return "Move from lock4j to Holdfast";
    }

    @Override
    public String getDescription() {
        return "Replaces `@Lock4j` by `@DistributedLock`, and the dependency once nothing uses lock4j any more.";
    }

    @Override
    public List<Recipe> getRecipeList() {
        return List.of(
                new Mover(),
                new ReplaceDependencies(
                        "com.baomidou",
                        "lock4j-",
                        "com\\.baomidou\\.lock\\.",
                        List.of(BuildFile.Module.holdfast("lock-spring-boot-starter"))));
    }

    private static final class Mover extends MoveAnnotation {

        private static final String WAIT = "3000ms";

        private Mover() {
            super(
                    "com.baomidou.lock.annotation.Lock4j",
                    "com.baomidou.lock.exception.LockFailureException",
                    "(?i)acquire-?timeout|lock4j[.\\w:\\s-]*expire");
        }

        @Override
        @Nullable
        Note reasonToStay(J.Annotation lock, J.MethodDeclaration method) {
            for (String each :
                    List.of("failStrategy", "keyBuilderStrategy", "executor", "condition", "order", "autoRelease")) {
                if (Trees.attribute(lock, each) != null) {
                    return Note.LOCK4J_ATTRIBUTE;
                }
            }
            String name = Trees.literal(Trees.attribute(lock, "name"));
            if (name == null || name.isBlank()) {
                return Note.OTHER_NAME;
            }
            boolean isTold = key(Trees.attribute(lock, "keys")) != null
                    && isAbsentOrNumber(Trees.attribute(lock, "expire"))
                    && isAbsentOrNumber(Trees.attribute(lock, "acquireTimeout"));
            return isTold ? null : Note.LOCK4J_ATTRIBUTE;
        }

        private static boolean isAbsentOrNumber(@Nullable Expression expression) {
            return expression == null || number(expression) != null;
        }

        @Override
        boolean needsDefaults(J.Annotation lock) {
            return Trees.attribute(lock, "acquireTimeout") == null || Trees.attribute(lock, "expire") == null;
        }

        @Override
        void translate(J.Annotation lock, List<Expression> attributes, List<String> imports) {
            addNameAndKey(lock, attributes);
            Long wait = number(Trees.attribute(lock, "acquireTimeout"));
            attributes.add(Trees.attribute("waitTime", Trees.text(wait == null ? WAIT : wait + "ms")));
            Long expire = number(Trees.attribute(lock, "expire"));
            if (expire != null && expire > 0) {
                attributes.add(Trees.attribute("leaseTime", Trees.text(expire + "ms")));
            }
        }
    }
}
