package dev.holdfast.rewrite;

import org.jspecify.annotations.Nullable;
import org.openrewrite.Cursor;
import org.openrewrite.ExecutionContext;
import org.openrewrite.Recipe;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.JavaTemplate;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;

/** Makes beans that create one of ShedLock's own providers create Holdfast's. Everything else of ShedLock goes on under Holdfast's locks. */
final class ReplaceLockProvider extends Recipe {

    @Override
    public String getDisplayName() {
        return "Replace ShedLock's provider by `HoldfastLockProvider`";
    }

    @Override
    public String getDescription() {
        return "Jobs under `@SchedulerLock` and tasks of a `LockingTaskExecutor` then run under Holdfast's locks.";
    }

    @Override
    public boolean causesAnotherCycle() {
        return true;
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getVisitor() {
        return new Providers();
    }

    private static final class Providers extends ClientBeans {

        private static final JavaTemplate PROVIDER =
                Stubs.template("new HoldfastLockProvider(#{any(" + CLIENT + ")})", ShedLock.HOLDFAST_PROVIDER);

        private Providers() {
            super(Note.NAMES, Note.PROVIDER);
        }

        @Override
        boolean isReplaced(J.NewClass created) {
            return ShedLock.createsProvider(created);
        }

        @Override
        J replacement(J.NewClass created, Cursor cursor, Expression client) {
            maybeAddImport(ShedLock.HOLDFAST_PROVIDER, false);
            return PROVIDER.apply(cursor, created.getCoordinates().replace(), client);
        }

        @Override
        @Nullable
        String declared(@Nullable JavaType type) {
            return ShedLock.isOfProvider(type) ? ShedLock.PROVIDER : null;
        }
    }
}
