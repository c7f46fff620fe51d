package dev.holdfast.rewrite;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.openrewrite.Cursor;
import org.openrewrite.ExecutionContext;
import org.openrewrite.SourceFile;
import org.openrewrite.Tree;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.JavaVisitor;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.Space;
import org.openrewrite.java.tree.Statement;

/** Makes beans that create a part of another library create Holdfast's, from a {@code LockClient} that the {@code @Bean} method then takes. */
abstract class ClientBeans extends JavaVisitor<ExecutionContext> {

    static final String CLIENT = "dev.holdfast.lock.LockClient";

    private final Note moved;
    private final Note left;
    private boolean isKotlin;

    /**
     * Creates the visitor.
     *
     * @param moved what is said at a bean that moved
     * @param left what is said at a class that creates the part elsewhere than in a bean
     */
    ClientBeans(Note moved, Note left) {
        this.moved = moved;
        this.left = left;
    }

    /** {@return whether an expression creates what is replaced} */
    abstract boolean isReplaced(J.NewClass created);

    /** {@return what is created in its place} The caller adds the imports. */
    abstract J replacement(J.NewClass created, Cursor cursor, Expression client);

    /** {@return the type that a bean declares in place of another one, null if that stays} */
    abstract @Nullable String declared(@Nullable JavaType type);

    @Override
    public @Nullable J visit(@Nullable Tree tree, ExecutionContext ctx) {
        if (tree instanceof SourceFile) {
            isKotlin = !(tree instanceof J.CompilationUnit);
        }
        return super.visit(tree, ctx);
    }

    @Override
    public J visitNewClass(J.NewClass created, ExecutionContext ctx) {
        if (!isReplaced(created)) {
            return super.visitNewClass(created, ctx);
        }
        J.MethodDeclaration bean = bean(getCursor());
        if (isKotlin || bean == null) {
            Cursor type = getCursor()
                    .dropParentUntil(each -> each instanceof J.ClassDeclaration || each == Cursor.ROOT_VALUE);
            type.putMessage("left", isKotlin ? Note.KOTLIN : left);
            return super.visitNewClass(created, ctx);
        }
        String client = parameterNames(bean).contains("lockClient") ? "holdfastLockClient" : "lockClient";
        getCursor().putMessageOnFirstEnclosing(J.MethodDeclaration.class, "client", client);
        Trees.typesIn(created).forEach(this::maybeRemoveImport);
        return replacement(created, getCursor(), Trees.name(client, JavaType.ShallowClass.build(CLIENT)));
    }

    /** {@return the {@code @Bean} method around an expression, null if there is none} */
    static J.@Nullable MethodDeclaration bean(Cursor cursor) {
        Object around = cursor.dropParentUntil(each -> each instanceof J.MethodDeclaration
                        || each instanceof J.ClassDeclaration
                        || each == Cursor.ROOT_VALUE)
                .getValue();
        return around instanceof J.MethodDeclaration method && ShedLock.isBeanMethod(method) ? method : null;
    }

    @Override
    public J visitMethodDeclaration(J.MethodDeclaration method, ExecutionContext ctx) {
        J.MethodDeclaration visited = (J.MethodDeclaration) super.visitMethodDeclaration(method, ctx);
        String client = getCursor().getMessage("client");
        if (client == null) {
            return visited;
        }
        maybeAddImport(CLIENT, false);
        visited = withClient(method, visited, client);
        String type = visited.getReturnTypeExpression() == null
                ? null
                : declared(visited.getReturnTypeExpression().getType());
        if (type != null && visited.getReturnTypeExpression() != null) {
            maybeAddImport(type, false);
            visited = visited.withReturnTypeExpression(Trees.type(type)
                    .withPrefix(visited.getReturnTypeExpression().getPrefix()));
        }
        return moved.above(visited);
    }

    /** Adds the client, and drops the parameters that only the replaced expression needed. */
    private J.MethodDeclaration withClient(J.MethodDeclaration before, J.MethodDeclaration method, String client) {
        Set<String> used = namesIn(before.getBody());
        Set<String> stillUsed = namesIn(method.getBody());
        List<Statement> parameters = new ArrayList<>();
        for (Statement each : method.getParameters()) {
            if (each instanceof J.VariableDeclarations parameter) {
                String name = parameter.getVariables().get(0).getSimpleName();
                if (!used.contains(name) || stillUsed.contains(name)) {
                    parameters.add(parameter);
                } else {
                    Trees.typesIn(parameter).forEach(this::maybeRemoveImport);
                }
            }
        }
        Space prefix = parameters.isEmpty() ? Space.EMPTY : Space.SINGLE_SPACE;
        if (!parameters.isEmpty() && !method.getParameters().isEmpty()) {
            parameters.set(
                    0,
                    parameters.get(0).withPrefix(method.getParameters().get(0).getPrefix()));
        }
        parameters.add(Trees.parameter(CLIENT, client).withPrefix(prefix));
        return Trees.withParameters(method, parameters);
    }

    private static List<String> parameterNames(J.MethodDeclaration method) {
        return method.getParameters().stream()
                .filter(J.VariableDeclarations.class::isInstance)
                .map(each ->
                        ((J.VariableDeclarations) each).getVariables().get(0).getSimpleName())
                .toList();
    }

    @Override
    public J visitClassDeclaration(J.ClassDeclaration type, ExecutionContext ctx) {
        J visited = super.visitClassDeclaration(type, ctx);
        Note note = getCursor().getMessage("left");
        return note == null ? visited : note.above(visited);
    }

    private static Set<String> namesIn(@Nullable J tree) {
        Set<String> names = new TreeSet<>();
        new JavaIsoVisitor<Set<String>>() {
            @Override
            public J.Identifier visitIdentifier(J.Identifier identifier, Set<String> found) {
                found.add(identifier.getSimpleName());
                return super.visitIdentifier(identifier, found);
            }
        }.visit(tree, names);
        return names;
    }
}
