package dev.holdfast.rewrite;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.openrewrite.Recipe;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;

/** Moves methods with {@code @Klock} to {@code @DistributedLock}. What a table cannot decide stays, with a comment and a link to the manual. */
public final class FromKlock extends Recipe {

    /** Creates the recipe. */
    public FromKlock() {}

    @Override
    public String getDisplayName() {
        return "Move from klock to Holdfast";
    }

    @Override
    public String getDescription() {
        return "Replaces `@Klock` by `@DistributedLock`, and the dependency once nothing uses klock any more.";
    }

    @Override
    public List<Recipe> getRecipeList() {
        return List.of(
                new Mover(),
                new ReplaceDependencies(
                        "cn.keking",
                        "spring-boot-klock-starter",
                        "org\\.springframework\\.boot\\.autoconfigure\\.klock\\.",
                        List.of(BuildFile.Module.holdfast("lock-spring-boot-starter"))));
    }

    private static final class Mover extends MoveAnnotation {

        private static final String PACKAGE = "org.springframework.boot.autoconfigure.klock.";
        private static final String KIND = "dev.holdfast.lock.LockKind";
        private static final String ON_LOST = "dev.holdfast.lock.spring.OnLost";

        private Mover() {
            super(
                    PACKAGE + "annotation.Klock",
                    PACKAGE + "handler.KlockTimeoutException",
                    "klock[.\\w:\\s-]*(wait|lease)");
        }

        @Override
        @Nullable
        Note reasonToStay(J.Annotation lock, J.MethodDeclaration method) {
            for (String each : List.of("customLockTimeoutStrategy", "customReleaseTimeoutStrategy")) {
                if (Trees.attribute(lock, each) != null) {
                    return Note.KLOCK_STRATEGY;
                }
            }
            if (!"FAIL_FAST".equals(constant(lock, "lockTimeoutStrategy"))) {
                return Note.KLOCK_STRATEGY;
            }
            String name = Trees.literal(Trees.attribute(lock, "name"));
            if (name == null || name.isBlank()) {
                return Note.OTHER_NAME;
            }
            boolean isTold = key(Trees.attribute(lock, "keys")) != null
                    && !hasKeyParameter(method)
                    && isAbsentOrNumber(Trees.attribute(lock, "waitTime"))
                    && isAbsentOrNumber(Trees.attribute(lock, "leaseTime"));
            return isTold ? null : Note.KLOCK_STRATEGY;
        }

        private static boolean isAbsentOrNumber(@Nullable Expression expression) {
            return expression == null || number(expression) != null;
        }

        private static boolean hasKeyParameter(J.MethodDeclaration method) {
            return method.getParameters().stream()
                    .filter(J.VariableDeclarations.class::isInstance)
                    .map(J.VariableDeclarations.class::cast)
                    .anyMatch(
                            each -> Trees.find(each.getLeadingAnnotations(), PACKAGE + "annotation.KlockKey") != null);
        }

        private static @Nullable String constant(J.Annotation lock, String attribute) {
            Expression value = Trees.attribute(lock, attribute);
            if (value instanceof J.FieldAccess access) {
                return access.getSimpleName();
            }
            return value instanceof J.Identifier name ? name.getSimpleName() : null;
        }

        @Override
        boolean needsDefaults(J.Annotation lock) {
            return Trees.attribute(lock, "waitTime") == null || Trees.attribute(lock, "leaseTime") == null;
        }

        @Override
        void translate(J.Annotation lock, List<Expression> attributes, List<String> imports) {
            addNameAndKey(lock, attributes);
            String type = constant(lock, "lockType");
            if (type != null && !type.equals("Reentrant")) {
                imports.add(KIND);
                attributes.add(Trees.attribute("kind", Trees.constant(KIND, type.toUpperCase(Locale.ROOT))));
            }
            attributes.add(Trees.attribute("waitTime", seconds(lock, "waitTime")));
            Long lease = number(Trees.attribute(lock, "leaseTime"));
            if (lease == null || lease > 0) {
                attributes.add(Trees.attribute("leaseTime", seconds(lock, "leaseTime")));
            }
            if (!"FAIL_FAST".equals(constant(lock, "releaseTimeoutStrategy"))) {
                imports.add(ON_LOST);
                attributes.add(Trees.attribute("onLost", Trees.constant(ON_LOST, "REPORT")));
            }
        }

        /** The default of both times is 60 s. */
        private static Expression seconds(J.Annotation lock, String attribute) {
            Long seconds = number(Trees.attribute(lock, attribute));
            return Trees.text((seconds == null ? 60 : seconds) + "s");
        }
    }
}
