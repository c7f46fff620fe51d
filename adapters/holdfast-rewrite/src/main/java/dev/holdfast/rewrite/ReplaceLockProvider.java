package dev.holdfast.rewrite;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.openrewrite.Cursor;
import org.openrewrite.ExecutionContext;
import org.openrewrite.Recipe;
import org.openrewrite.SourceFile;
import org.openrewrite.Tree;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.JavaTemplate;
import org.openrewrite.java.JavaVisitor;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.Space;
import org.openrewrite.java.tree.Statement;

/** Makes beans that create one of ShedLock's own providers create Holdfast's. Everything else of ShedLock goes on under Holdfast's locks. */
final class ReplaceLockProvider extends Recipe {

    private static final String CLIENT = "dev.holdfast.lock.LockClient";

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
        return new Visitor();
    }

    private static final class Visitor extends JavaVisitor<ExecutionContext> {

        private static final JavaTemplate PROVIDER =
                Stubs.template("new HoldfastLockProvider(#{any(" + CLIENT + ")})", ShedLock.HOLDFAST_PROVIDER);

        private boolean isKotlin;

        @Override
        public @Nullable J visit(@Nullable Tree tree, ExecutionContext ctx) {
            if (tree instanceof SourceFile) {
                isKotlin = !(tree instanceof J.CompilationUnit);
            }
            return super.visit(tree, ctx);
        }

        @Override
        public J visitNewClass(J.NewClass created, ExecutionContext ctx) {
            if (!ShedLock.createsProvider(created)) {
                return super.visitNewClass(created, ctx);
            }
            Cursor method = getCursor()
                    .dropParentUntil(each -> each instanceof J.MethodDeclaration
                            || each instanceof J.ClassDeclaration
                            || each == Cursor.ROOT_VALUE);
            if (isKotlin || !(method.getValue() instanceof J.MethodDeclaration bean) || !ShedLock.isBeanMethod(bean)) {
                Cursor type = getCursor()
                        .dropParentUntil(each -> each instanceof J.ClassDeclaration || each == Cursor.ROOT_VALUE);
                type.putMessage("left", isKotlin ? Note.KOTLIN : Note.PROVIDER);
                return super.visitNewClass(created, ctx);
            }
            String client = clientName(bean);
            method.putMessage("client", client);
            Trees.typesIn(created).forEach(this::maybeRemoveImport);
            maybeAddImport(ShedLock.HOLDFAST_PROVIDER, false);
            return PROVIDER.apply(
                    getCursor(),
                    created.getCoordinates().replace(),
                    Trees.name(client, JavaType.ShallowClass.build(CLIENT)));
        }

        private static String clientName(J.MethodDeclaration bean) {
            return parameterNames(bean).contains("lockClient") ? "holdfastLockClient" : "lockClient";
        }

        @Override
        public J visitMethodDeclaration(J.MethodDeclaration method, ExecutionContext ctx) {
            J.MethodDeclaration visited = (J.MethodDeclaration) super.visitMethodDeclaration(method, ctx);
            String client = getCursor().getMessage("client");
            if (client == null) {
                return visited;
            }
            maybeAddImport(CLIENT, false);
            visited = withParameters(method, visited, client);
            if (visited.getReturnTypeExpression() != null
                    && ShedLock.isOfProvider(visited.getReturnTypeExpression().getType())) {
                maybeAddImport(ShedLock.PROVIDER, false);
                visited = visited.withReturnTypeExpression(Trees.type(ShedLock.PROVIDER)
                        .withPrefix(visited.getReturnTypeExpression().getPrefix()));
            }
            return Note.NAMES.above(visited);
        }

        /** Adds the client, and drops the parameters that only the provider needed. */
        private J.MethodDeclaration withParameters(
                J.MethodDeclaration before, J.MethodDeclaration method, String client) {
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
                        parameters
                                .get(0)
                                .withPrefix(method.getParameters().get(0).getPrefix()));
            }
            parameters.add(Trees.parameter(CLIENT, client).withPrefix(prefix));
            J.MethodDeclaration changed = method.withParameters(parameters);
            JavaType.Method type = changed.getMethodType();
            if (type != null) {
                List<String> names =
                        parameters.stream().map(Visitor::parameterName).toList();
                List<JavaType> types =
                        parameters.stream().map(Visitor::parameterType).toList();
                changed = changed.withMethodType(type.withParameterNames(names).withParameterTypes(types));
                changed = changed.withName(changed.getName().withType(changed.getMethodType()));
            }
            return changed;
        }

        private static List<String> parameterNames(J.MethodDeclaration method) {
            return method.getParameters().stream()
                    .filter(J.VariableDeclarations.class::isInstance)
                    .map(Visitor::parameterName)
                    .toList();
        }

        private static String parameterName(Statement parameter) {
            return ((J.VariableDeclarations) parameter).getVariables().get(0).getSimpleName();
        }

        private static JavaType parameterType(Statement parameter) {
            JavaType type = ((J.VariableDeclarations) parameter).getType();
            return type == null ? JavaType.Unknown.getInstance() : type;
        }

        @Override
        public J visitClassDeclaration(J.ClassDeclaration type, ExecutionContext ctx) {
            J visited = super.visitClassDeclaration(type, ctx);
            Note left = getCursor().getMessage("left");
            return left == null ? visited : left.above(visited);
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
}
