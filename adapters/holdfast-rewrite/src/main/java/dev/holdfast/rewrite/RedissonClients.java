package dev.holdfast.rewrite;

import java.util.ArrayList;
import java.util.List;
import org.openrewrite.ExecutionContext;
import org.openrewrite.Tree;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.Space;
import org.openrewrite.java.tree.Statement;
import org.openrewrite.java.tree.TypeUtils;

/**
 * Adds Holdfast's client to a class: instead of Redisson's, or next to it if the class uses more than locks. The declarations are copies of those of
 * Redisson's client. A class that already has Holdfast's client does not get a second one.
 */
final class RedissonClients extends JavaIsoVisitor<ExecutionContext> {

    private final RedissonUse use;
    private final Moved moved;

    RedissonClients(RedissonUse use) {
        this.use = use;
        this.moved = new Moved(use.client());
    }

    @Override
    public J.CompilationUnit visitCompilationUnit(J.CompilationUnit unit, ExecutionContext ctx) {
        if (use.usesMore() || use.hasClientOfHoldfast()) {
            maybeAddImport(MoveRedissonLocks.LOCK_CLIENT, false);
            return super.visitCompilationUnit(unit, ctx);
        }
        J changed = moved.visitNonNull(unit, ctx);
        for (String each : Redisson.CLIENTS) {
            changed = Trees.withType(changed, each, MoveRedissonLocks.LOCK_CLIENT, ctx);
        }
        return (J.CompilationUnit) changed;
    }

    @Override
    public J.MethodInvocation visitMethodInvocation(J.MethodInvocation call, ExecutionContext ctx) {
        J.MethodInvocation visited = super.visitMethodInvocation(call, ctx);
        Expression select = visited.getSelect();
        boolean getsLock = visited.getMethodType() != null
                && TypeUtils.isOfClassType(visited.getMethodType().getDeclaringType(), MoveRedissonLocks.LOCK_CLIENT);
        return select != null && getsLock && Redisson.isClientVariable(select)
                ? visited.withSelect((Expression) moved.visitNonNull(select, ctx, getCursor()))
                : visited;
    }

    @Override
    public J.Block visitBlock(J.Block block, ExecutionContext ctx) {
        J.Block visited = super.visitBlock(block, ctx);
        boolean isClass = getCursor().getParentTreeCursor().getValue() instanceof J.ClassDeclaration;
        List<Statement> statements = new ArrayList<>();
        for (Statement each : visited.getStatements()) {
            statements.add(each);
            boolean isField =
                    isClass && each instanceof J.VariableDeclarations field && Redisson.isClient(field.getType());
            if (!use.hasClientOfHoldfast() && (isField || RedissonUse.isAssignmentOfClient(each))) {
                statements.add(copied(each, ctx).withPrefix(each.getPrefix().withComments(List.of())));
            }
        }
        return statements.size() == visited.getStatements().size() ? visited : visited.withStatements(statements);
    }

    @Override
    public J.MethodDeclaration visitMethodDeclaration(J.MethodDeclaration method, ExecutionContext ctx) {
        J.MethodDeclaration visited = super.visitMethodDeclaration(method, ctx);
        if (use.hasClientOfHoldfast() || !RedissonUse.isInjected(method)) {
            return visited;
        }
        List<Statement> parameters = new ArrayList<>();
        for (Statement each : visited.getParameters()) {
            parameters.add(each);
            if (each instanceof J.VariableDeclarations parameter && Redisson.isClient(parameter.getType())) {
                Space prefix = each.getPrefix().isEmpty() ? Space.SINGLE_SPACE : each.getPrefix();
                parameters.add(copied(each, ctx).withPrefix(prefix));
            }
        }
        return parameters.size() == visited.getParameters().size()
                ? visited
                : Trees.withParameters(visited, parameters);
    }

    private Statement copied(Statement statement, ExecutionContext ctx) {
        Statement copy = (Statement) moved.visitNonNull(statement, ctx, getCursor());
        return (Statement) copy.withId(Tree.randomId());
    }

    /** Makes Redisson's client Holdfast's, in types and names. */
    private static final class Moved extends JavaIsoVisitor<ExecutionContext> {

        private static final JavaType CLIENT = JavaType.ShallowClass.build(MoveRedissonLocks.LOCK_CLIENT);

        private final String name;

        private Moved(String name) {
            this.name = name;
        }

        @Override
        public J.Import visitImport(J.Import imported, ExecutionContext ctx) {
            return imported;
        }

        @Override
        public J.VariableDeclarations.NamedVariable visitVariable(
                J.VariableDeclarations.NamedVariable variable, ExecutionContext ctx) {
            J.VariableDeclarations.NamedVariable visited = super.visitVariable(variable, ctx);
            JavaType.Variable type = visited.getVariableType();
            return type != null && Redisson.isClient(type.getType())
                    ? visited.withVariableType(type.withName(name).withType(CLIENT))
                    : visited;
        }

        @Override
        public J.Identifier visitIdentifier(J.Identifier identifier, ExecutionContext ctx) {
            if (!Redisson.isClient(identifier.getType())) {
                return identifier;
            }
            JavaType.Variable variable = identifier.getFieldType();
            return variable == null
                    ? identifier
                            .withSimpleName(Trees.simple(MoveRedissonLocks.LOCK_CLIENT))
                            .withType(CLIENT)
                    : identifier
                            .withSimpleName(name)
                            .withType(CLIENT)
                            .withFieldType(variable.withName(name).withType(CLIENT));
        }
    }
}
