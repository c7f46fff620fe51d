package dev.holdfast.rewrite;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.openrewrite.Cursor;
import org.openrewrite.ExecutionContext;
import org.openrewrite.ScanningRecipe;
import org.openrewrite.Tree;
import org.openrewrite.TreeVisitor;
import org.openrewrite.internal.ListUtils;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.JavaTemplate;
import org.openrewrite.java.MethodMatcher;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaSourceFile;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.Statement;
import org.openrewrite.java.tree.TypeUtils;

/**
 * Makes beans create {@code HoldfastLockRegistry} in place of {@code RedisLockRegistry}. A class that asks for the registry by its class asks for
 * Holdfast's, so all registries of an application move together or not at all.
 */
final class MoveLockRegistry extends ScanningRecipe<MoveLockRegistry.Application> {

    private static final String OLD = "org.springframework.integration.redis.util.RedisLockRegistry";
    private static final String NEW = "dev.holdfast.lock.integration.HoldfastLockRegistry";
    private static final String REGISTRY = "org.springframework.integration.support.locks.LockRegistry";

    /** How the old registry waits, caches and renews. Holdfast's needs none of it. */
    private static final Set<String> SETTINGS = Set.of(
            "setRedisLockType", "setExecutor", "setCacheCapacity", "setIdleBetweenTries", "setRenewalTaskScheduler");

    private static final MethodMatcher RENEW = new MethodMatcher(
            "org.springframework.integration.support.locks.RenewableLockRegistry renewLock(..)", true);

    /** What the whole application says. */
    static final class Application {

        private boolean moves;
        private boolean stays;
    }

    @Override
    public String getDisplayName() {
        return "Replace `RedisLockRegistry` by `HoldfastLockRegistry`";
    }

    @Override
    public String getDescription() {
        return "If beans create all of them. Otherwise, comments say what is in the way.";
    }

    @Override
    public boolean causesAnotherCycle() {
        return true;
    }

    @Override
    public Application getInitialValue(ExecutionContext ctx) {
        return new Application();
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getScanner(Application application) {
        return new TreeVisitor<>() {
            @Override
            public @Nullable Tree visit(@Nullable Tree tree, ExecutionContext ctx) {
                if (tree instanceof J.CompilationUnit unit) {
                    application.moves |= uses(unit);
                    new Obstacles().visit(unit, application);
                } else if (tree instanceof JavaSourceFile other && !Sources.isGradleBuild(other)) {
                    application.stays |= uses(other);
                }
                return tree;
            }
        };
    }

    private static boolean uses(JavaSourceFile source) {
        return Sources.uses(source, type -> TypeUtils.isOfClassType(type, OLD));
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getVisitor(Application application) {
        return new TreeVisitor<>() {
            @Override
            public @Nullable Tree visit(@Nullable Tree tree, ExecutionContext ctx) {
                if (!(tree instanceof J.CompilationUnit unit)) {
                    return tree;
                }
                J changed = new MethodNotes(MoveLockRegistry::ofOtherRegistry).visitNonNull(unit, ctx);
                if (application.stays || !application.moves) {
                    return new Obstacles().visitNonNull(changed, application);
                }
                changed = new MethodNotes(MoveLockRegistry::ofRenewal).visitNonNull(changed, ctx);
                changed = new Registries().visitNonNull(changed, ctx);
                return Trees.withType(changed, OLD, NEW, ctx);
            }
        };
    }

    private static boolean isOld(@Nullable Expression expression) {
        return expression != null && TypeUtils.isOfClassType(expression.getType(), OLD);
    }

    private static boolean isSetting(Statement statement) {
        return statement instanceof J.MethodInvocation call
                && isOld(call.getSelect())
                && SETTINGS.contains(call.getSimpleName());
    }

    /** Finds what creates or sets up a registry elsewhere than in a bean. */
    private static final class Obstacles extends JavaIsoVisitor<Application> {

        private void stays(Application application) {
            application.stays = true;
            getCursor().putMessageOnFirstEnclosing(J.ClassDeclaration.class, "stays", true);
        }

        @Override
        public J.NewClass visitNewClass(J.NewClass created, Application application) {
            if (TypeUtils.isOfClassType(created.getType(), OLD) && ClientBeans.bean(getCursor()) == null) {
                stays(application);
            }
            return super.visitNewClass(created, application);
        }

        @Override
        public J.MethodInvocation visitMethodInvocation(J.MethodInvocation call, Application application) {
            boolean isKnown = Set.of("obtain", "renewLock", "expireUnusedOlderThan", "executeLocked")
                    .contains(call.getSimpleName());
            boolean isInBean = getCursor().getParentTreeCursor().getValue() instanceof J.Block
                    && isSetting(call)
                    && ClientBeans.bean(getCursor()) != null;
            if (isOld(call.getSelect()) && !isKnown && !isInBean) {
                stays(application);
            }
            return super.visitMethodInvocation(call, application);
        }

        @Override
        public J.ClassDeclaration visitClassDeclaration(J.ClassDeclaration type, Application application) {
            J.ClassDeclaration visited = super.visitClassDeclaration(type, application);
            return getCursor().getMessage("stays") == null ? visited : Note.REGISTRY_LEFT.above(visited);
        }
    }

    private static final class Registries extends ClientBeans {

        private static final JavaTemplate CREATED =
                Stubs.template("new HoldfastLockRegistry(#{any(" + CLIENT + ")}, #{any(String)})", NEW);

        private Registries() {
            super(Note.REGISTRY_MOVED, Note.REGISTRY_LEFT);
        }

        @Override
        boolean isReplaced(J.NewClass created) {
            return TypeUtils.isOfClassType(created.getType(), OLD);
        }

        @Override
        J replacement(J.NewClass created, Cursor cursor, Expression client) {
            maybeAddImport(NEW, false);
            return CREATED.apply(
                    cursor,
                    created.getCoordinates().replace(),
                    client,
                    created.getArguments().get(1));
        }

        @Override
        @Nullable
        String declared(@Nullable JavaType type) {
            return null;
        }

        /** The new registry has nothing to destroy, and Spring would refuse a bean without the method that is named. */
        @Override
        public J visitMethodDeclaration(J.MethodDeclaration method, ExecutionContext ctx) {
            J.MethodDeclaration visited = (J.MethodDeclaration) super.visitMethodDeclaration(method, ctx);
            return getCursor().getMessage("client") == null
                    ? visited
                    : visited.withLeadingAnnotations(
                            ListUtils.map(visited.getLeadingAnnotations(), Registries::withoutDestruction));
        }

        private static J.Annotation withoutDestruction(J.Annotation annotation) {
            if (Trees.attribute(annotation, "destroyMethod") == null || annotation.getArguments() == null) {
                return annotation;
            }
            return Trees.replaced(
                    annotation,
                    ShedLock.BEAN,
                    annotation.getArguments().stream()
                            .filter(each -> !(each instanceof J.Assignment attribute
                                    && Trees.nameOf(attribute).equals("destroyMethod")))
                            .toList());
        }

        @Override
        public J visitBlock(J.Block block, ExecutionContext ctx) {
            J.Block visited = (J.Block) super.visitBlock(block, ctx);
            List<Statement> kept = new ArrayList<>();
            for (Statement each : visited.getStatements()) {
                if (isSetting(each)) {
                    Trees.typesIn(each).forEach(this::maybeRemoveImport);
                } else {
                    kept.add(each);
                }
            }
            return kept.size() == visited.getStatements().size() ? visited : visited.withStatements(kept);
        }
    }

    private static @Nullable Note ofRenewal(Expression expression, Cursor place) {
        return RENEW.matches(expression) ? Note.REGISTRY_RENEWED : null;
    }

    /** Says of other registries that they stay. */
    private static @Nullable Note ofOtherRegistry(Expression expression, Cursor place) {
        return expression instanceof J.NewClass created
                        && TypeUtils.isAssignableTo(REGISTRY, created.getType())
                        && !TypeUtils.isOfClassType(created.getType(), OLD)
                        && !TypeUtils.isOfClassType(created.getType(), NEW)
                        && ClientBeans.bean(place) != null
                ? Note.REGISTRY_ELSEWHERE
                : null;
    }
}
