package dev.holdfast.rewrite;

import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.openrewrite.Cursor;
import org.openrewrite.ExecutionContext;
import org.openrewrite.ScanningRecipe;
import org.openrewrite.SourceFile;
import org.openrewrite.Tree;
import org.openrewrite.TreeVisitor;
import org.openrewrite.internal.ListUtils;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.MethodMatcher;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaSourceFile;
import org.openrewrite.properties.tree.Properties;
import org.openrewrite.yaml.tree.Yaml;

/**
 * Turns {@code RLock} into {@code LeaseLock}. The locks of an application move together or not at all, because a thread that holds a lock of one
 * library does not enter it again in the other: it would wait for itself.
 */
final class MoveRedissonLocks extends ScanningRecipe<MoveRedissonLocks.Application> {

    static final String LOCK_CLIENT = "dev.holdfast.lock.LockClient";
    static final String LEASE_LOCK = "dev.holdfast.lock.LeaseLock";

    private static final MethodMatcher NAMES = new MethodMatcher("org.redisson.config.* setNameMapper(..)");
    private static final MethodMatcher SETTINGS = new MethodMatcher("org.redisson.config.Config set*Lock*(..)");

    private static final Pattern OF_LIBRARIES = Pattern.compile("(org\\.(redisson|mockito|assertj|junit)|java)\\.");

    /** What the whole application says. */
    static final class Application {

        private boolean locks;
        private boolean stays;
        private boolean mapsNames;
        private boolean hasPrefix;
        private final Set<String> constructed = new HashSet<>();
        private final Set<RedissonUse> uses = new HashSet<>();

        private boolean moves() {
            return !stays && !(mapsNames && !hasPrefix) && uses.stream().noneMatch(this::isCreatedByHand);
        }

        private boolean isCreatedByHand(RedissonUse use) {
            return use.isConstructedBy(constructed);
        }
    }

    @Override
    public String getDisplayName() {
        return "Replace `RLock` by `LeaseLock`";
    }

    @Override
    public String getDescription() {
        return "If all locks of the application can move. Otherwise, comments say what is in the way.";
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
                    scan(unit, application);
                } else if (tree instanceof JavaSourceFile other && !Sources.isGradleBuild(other)) {
                    application.stays |= Sources.uses(other, Redisson::isLock);
                } else if (tree instanceof Yaml.Documents || tree instanceof Properties.File) {
                    String text = ((SourceFile) tree).printAll();
                    application.mapsNames |= text.contains("nameMapper");
                    application.hasPrefix |= text.matches("(?s).*\\bkey-?[pP]refix\\b.*");
                }
                return tree;
            }
        };
    }

    private static void scan(J.CompilationUnit unit, Application application) {
        RedissonUse use = RedissonUse.of(unit);
        application.constructed.addAll(use.constructed());
        application.mapsNames |= calls(unit, NAMES);
        if (Sources.isTest(unit)) {
            application.stays |= passesLocks(unit);
        } else if (use.usesLocks()) {
            application.locks = true;
            application.stays |= !use.reasons().isEmpty();
            application.uses.add(use);
        }
    }

    private static boolean calls(J.CompilationUnit unit, MethodMatcher methods) {
        return unit.getTypesInUse().getUsedMethods().stream().anyMatch(methods::matches);
    }

    /** Whether a test takes a lock from the application, or gives it one. What else has locks in its signatures is generic. */
    private static boolean passesLocks(J.CompilationUnit test) {
        return test.getTypesInUse().getUsedMethods().stream()
                .filter(each -> !OF_LIBRARIES
                        .matcher(each.getDeclaringType().getFullyQualifiedName())
                        .lookingAt())
                .anyMatch(each -> Redisson.isLock(each.getReturnType())
                        || each.getParameterTypes().stream().anyMatch(Redisson::isLock));
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getVisitor(Application application) {
        return new TreeVisitor<>() {
            @Override
            public @Nullable Tree visit(@Nullable Tree tree, ExecutionContext ctx) {
                if (!application.locks || !(tree instanceof J.CompilationUnit unit)) {
                    return tree;
                }
                if (Sources.isTest(unit)) {
                    return Sources.uses(unit, Redisson::isLock) ? withNote(unit, Note.REDISSON_TEST) : unit;
                }
                RedissonUse use = RedissonUse.of(unit);
                if (!use.usesLocks()) {
                    return calls(unit, SETTINGS) && application.moves()
                            ? new MethodNotes(MoveRedissonLocks::ofSetting).visitNonNull(unit, ctx)
                            : unit;
                }
                return application.moves() ? moved(unit, use, ctx) : explained(unit, use, application, ctx);
            }
        };
    }

    private static J.CompilationUnit withNote(J.CompilationUnit unit, Note note) {
        return unit.withClasses(ListUtils.map(unit.getClasses(), each -> note.above(each)));
    }

    private static J.CompilationUnit moved(J.CompilationUnit unit, RedissonUse use, ExecutionContext ctx) {
        J changed = new RedissonCalls(use).visitNonNull(unit, ctx);
        changed = new RedissonClients(use).visitNonNull(changed, ctx);
        changed = Trees.withType(changed, Redisson.LOCK, LEASE_LOCK, ctx);
        changed = Trees.withType(changed, Redisson.READ_WRITE_LOCK, "dev.holdfast.lock.LeaseReadWriteLock", ctx);
        if (!use.getsLocks()) {
            return (J.CompilationUnit) changed;
        }
        J.CompilationUnit moved = withNote((J.CompilationUnit) changed, Note.REDISSON_MOVED);
        return moved.withClasses(
                ListUtils.map(moved.getClasses(), each -> isAspect(each) ? Note.REDISSON_ASPECT.above(each) : each));
    }

    private static boolean isAspect(J.ClassDeclaration type) {
        return Trees.find(type.getLeadingAnnotations(), "org.aspectj.lang.annotation.Aspect") != null;
    }

    private static J.CompilationUnit explained(
            J.CompilationUnit unit, RedissonUse use, Application application, ExecutionContext ctx) {
        J.CompilationUnit explained = (J.CompilationUnit) new Reasons(use).visitNonNull(unit, ctx);
        if (application.mapsNames && !application.hasPrefix) {
            explained = withNote(explained, Note.REDISSON_MAPPER);
        }
        return application.isCreatedByHand(use) ? withNote(explained, Note.REDISSON_CREATED) : explained;
    }

    /** Says at each member why it cannot move. */
    private static final class Reasons extends JavaIsoVisitor<ExecutionContext> {

        private final RedissonUse use;

        private Reasons(RedissonUse use) {
            this.use = use;
        }

        private <T extends J> T explained(J before, T after) {
            Note reason = use.reasons().get(before.getId());
            return reason == null ? after : reason.above(after);
        }

        @Override
        public J.ClassDeclaration visitClassDeclaration(J.ClassDeclaration type, ExecutionContext ctx) {
            return explained(type, super.visitClassDeclaration(type, ctx));
        }

        @Override
        public J.MethodDeclaration visitMethodDeclaration(J.MethodDeclaration method, ExecutionContext ctx) {
            return explained(method, super.visitMethodDeclaration(method, ctx));
        }

        @Override
        public J.VariableDeclarations visitVariableDeclarations(J.VariableDeclarations field, ExecutionContext ctx) {
            return explained(field, super.visitVariableDeclarations(field, ctx));
        }
    }

    /** Says at settings of Redisson's locks that Holdfast has its own. */
    private static @Nullable Note ofSetting(Expression expression, Cursor place) {
        return SETTINGS.matches(expression) ? Note.REDISSON_SETTINGS : null;
    }
}
