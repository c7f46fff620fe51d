package dev.holdfast.rewrite;

import java.util.ArrayList;
import java.util.List;
import org.openrewrite.Cursor;
import org.openrewrite.ExecutionContext;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.JavaTemplate;
import org.openrewrite.java.JavaVisitor;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.Statement;
import org.openrewrite.java.tree.TypeUtils;

/** Turns {@code LockAssert} and {@code LockExtender} into {@code LockContext}. The caller adds the import. */
final class LockContextCalls extends JavaVisitor<ExecutionContext> {

    static final String LOCK_CONTEXT = "dev.holdfast.lock.spring.LockContext";

    private static final JavaTemplate CURRENT = Stubs.template("LockContext.current()", LOCK_CONTEXT);
    private static final JavaTemplate EXTEND =
            Stubs.template("LockContext.current().extend(#{any(java.time.Duration)})", LOCK_CONTEXT);
    private static final JavaTemplate MIN_HOLD =
            Stubs.template("LockContext.current().minHold(#{any(java.time.Duration)})", LOCK_CONTEXT);

    /** {@return whether nothing of the two remains in a tree after this visitor} */
    static boolean translatesAll(J tree) {
        boolean[] remains = {false};
        new JavaIsoVisitor<boolean[]>() {
            @Override
            public J.Identifier visitIdentifier(J.Identifier name, boolean[] found) {
                found[0] |= name.getSimpleName().equals("LockExtender")
                        && TypeUtils.isOfClassType(name.getType(), ShedLock.EXTENDER);
                return name;
            }

            @Override
            public J.Block visitBlock(J.Block block, boolean[] found) {
                for (Statement each : block.getStatements()) {
                    if (!isExtension(each)) {
                        visit(each, found);
                    }
                }
                return block;
            }
        }.visit(tree, remains);
        return !remains[0];
    }

    static boolean isExtension(Statement statement) {
        return statement instanceof J.MethodInvocation call && ShedLock.EXTEND.matches(call);
    }

    @Override
    public J visitMethodInvocation(J.MethodInvocation call, ExecutionContext ctx) {
        return ShedLock.ASSERT_LOCKED.matches(call)
                ? CURRENT.apply(getCursor(), call.getCoordinates().replace())
                : super.visitMethodInvocation(call, ctx);
    }

    @Override
    public J visitBlock(J.Block block, ExecutionContext ctx) {
        J.Block visited = (J.Block) super.visitBlock(block, ctx);
        if (visited.getStatements().stream().noneMatch(LockContextCalls::isExtension)) {
            return visited;
        }
        List<Statement> statements = new ArrayList<>();
        for (Statement each : visited.getStatements()) {
            if (isExtension(each)) {
                extend((J.MethodInvocation) each, new Cursor(updateCursor(visited), each), statements);
            } else {
                statements.add(each);
            }
        }
        return visited.withStatements(statements);
    }

    private static void extend(J.MethodInvocation call, Cursor cursor, List<Statement> statements) {
        Expression atMost = call.getArguments().get(0);
        Expression atLeast = call.getArguments().get(1);
        statements.add(EXTEND.apply(cursor, call.getCoordinates().replace(), atMost));
        if (!atLeast.toString().equals("Duration.ZERO")) {
            J.MethodInvocation hold =
                    MIN_HOLD.apply(cursor, call.getCoordinates().replace(), atLeast);
            statements.add(hold.withPrefix(call.getPrefix().withComments(List.of())));
        }
    }
}
