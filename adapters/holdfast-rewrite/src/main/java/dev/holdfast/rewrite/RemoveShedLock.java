package dev.holdfast.rewrite;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.openrewrite.Cursor;
import org.openrewrite.ExecutionContext;
import org.openrewrite.ScanningRecipe;
import org.openrewrite.SourceFile;
import org.openrewrite.Tree;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.AnnotationMatcher;
import org.openrewrite.java.JavaVisitor;
import org.openrewrite.java.RemoveAnnotationVisitor;
import org.openrewrite.java.marker.JavaProject;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaSourceFile;
import org.openrewrite.java.tree.Statement;
import org.openrewrite.java.tree.TypeUtils;
import org.openrewrite.properties.tree.Properties;
import org.openrewrite.yaml.tree.Yaml;

/**
 * Removes of ShedLock what is no longer used, once no job can be moved any more. If nothing remains, ShedLock leaves the build. Otherwise the build gets
 * the adapter, under which the rest runs.
 */
final class RemoveShedLock extends ScanningRecipe<RemoveShedLock.Uses> {

    private static final String LOGGERS = "logging.level.net.javacrumbs.shedlock";

    /** What the sources of the whole application still use. */
    static final class Uses {

        private boolean isInWork;
        private boolean inMain;
        private boolean inTests;
        private boolean ofProviders;
        private final Set<JavaProject> projects = new HashSet<>();
    }

    @Override
    public String getDisplayName() {
        return "Remove what is left of ShedLock";
    }

    @Override
    public String getDescription() {
        return "Removes `@EnableSchedulerLock`, the provider, loggers and dependencies that nothing uses any more.";
    }

    @Override
    public Uses getInitialValue(ExecutionContext ctx) {
        return new Uses();
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getScanner(Uses uses) {
        return new Scanner(uses);
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getVisitor(Uses uses) {
        return new TreeVisitor<>() {
            @Override
            public @Nullable Tree visit(@Nullable Tree tree, ExecutionContext ctx) {
                if (!(tree instanceof SourceFile source)) {
                    return tree;
                }
                if (Sources.isMavenBuild(source) || Sources.isGradleBuild(source)) {
                    return build(uses, source).visit(source, ctx);
                }
                if (uses.isInWork) {
                    return source;
                }
                if (source instanceof J.CompilationUnit && !Sources.isTest(source)) {
                    return (uses.inMain ? new MethodNotes(RemoveShedLock::ofUse) : new Remover()).visit(source, ctx);
                }
                if (source instanceof J.CompilationUnit) {
                    return new MethodNotes(RemoveShedLock::ofTest).visit(source, ctx);
                }
                return uses.inMain ? source : renamedLoggers(source, ctx);
            }
        };
    }

    /**
     * A build that declares none of ShedLock gets it from elsewhere, such as its parent. It gets the starter as soon as jobs move, because later no use
     * tells that it had ShedLock.
     */
    private static BuildFile build(Uses uses, SourceFile file) {
        BuildFile.Module starter = BuildFile.Module.holdfast("lock-spring-boot-starter");
        BuildFile.Module adapter = BuildFile.Module.holdfast("lock-shedlock");
        boolean hasShedLock = file.getMarkers()
                .findFirst(JavaProject.class)
                .map(uses.projects::contains)
                .orElse(false);
        List<BuildFile.Module> inherited = hasShedLock ? List.of(starter) : List.of();
        if (uses.isInWork) {
            return new BuildFile(module -> null, inherited, "net.javacrumbs.shedlock", HoldfastVersion.get());
        }
        return new BuildFile(
                module -> {
                    if (module.equals(adapter)) {
                        return uses.inMain ? null : List.of();
                    }
                    if (!module.group().equals("net.javacrumbs.shedlock")) {
                        return null;
                    }
                    if (module.name().startsWith("shedlock-provider-")) {
                        return uses.ofProviders ? null : uses.inMain ? List.of(starter, adapter) : List.of(starter);
                    }
                    if (uses.inMain || uses.inTests) {
                        return null;
                    }
                    return module.name().equals("shedlock-spring") ? List.of(starter) : List.of();
                },
                inherited,
                "net.javacrumbs.shedlock",
                HoldfastVersion.get());
    }

    private static @Nullable Tree renamedLoggers(SourceFile source, ExecutionContext ctx) {
        if (source instanceof Properties.File) {
            return new org.openrewrite.properties.ChangePropertyKey(
                            LOGGERS, "logging.level.dev.holdfast.lock", null, null)
                    .getVisitor()
                    .visit(source, ctx);
        }
        return source instanceof Yaml.Documents
                ? new org.openrewrite.yaml.ChangePropertyKey(
                                LOGGERS, "logging.level.dev.holdfast.lock", null, null, null)
                        .getVisitor()
                        .visit(source, ctx)
                : source;
    }

    /** Looks for uses, apart from those that go when there are no others. */
    private static final class Scanner extends JavaVisitor<ExecutionContext> {

        private final Uses uses;
        private boolean isTest;
        private boolean isJava;
        private @Nullable JavaProject project;

        private Scanner(Uses uses) {
            this.uses = uses;
        }

        @Override
        public @Nullable J visit(@Nullable Tree tree, ExecutionContext ctx) {
            if (tree instanceof SourceFile source) {
                if (!(tree instanceof JavaSourceFile) || Sources.isGradleBuild(source)) {
                    return (J) (tree instanceof J ? tree : null);
                }
                isTest = Sources.isTest(source);
                isJava = source instanceof J.CompilationUnit;
                project = source.getMarkers().findFirst(JavaProject.class).orElse(null);
            }
            return super.visit(tree, ctx);
        }

        @Override
        public J visitImport(J.Import imported, ExecutionContext ctx) {
            return imported;
        }

        @Override
        public J visitAnnotation(J.Annotation annotation, ExecutionContext ctx) {
            return isJava && TypeUtils.isOfClassType(annotation.getType(), ShedLock.ENABLE)
                    ? annotation
                    : super.visitAnnotation(annotation, ctx);
        }

        @Override
        public J visitMethodDeclaration(J.MethodDeclaration method, ExecutionContext ctx) {
            if (isJava && ShedLock.isOnlyHoldfastProvider(method)) {
                return method;
            }
            uses.isInWork |= isJava
                    && Trees.find(method.getLeadingAnnotations(), ShedLock.LOCK) != null
                    && !Note.isAbove(method);
            return super.visitMethodDeclaration(method, ctx);
        }

        @Override
        public J visitMethodInvocation(J.MethodInvocation call, ExecutionContext ctx) {
            return isJava && ShedLock.ASSERT_LOCKED.matches(call) ? call : super.visitMethodInvocation(call, ctx);
        }

        @Override
        public J visitBlock(J.Block block, ExecutionContext ctx) {
            for (Statement each : block.getStatements()) {
                if (!isJava || !LockContextCalls.isExtension(each)) {
                    visit(each, ctx);
                }
            }
            return block;
        }

        @Override
        public J visitNewClass(J.NewClass created, ExecutionContext ctx) {
            J.MethodDeclaration method = getCursor().firstEnclosing(J.MethodDeclaration.class);
            uses.isInWork |=
                    isJava && ShedLock.createsProvider(created) && method != null && ShedLock.isBeanMethod(method);
            return super.visitNewClass(created, ctx);
        }

        @Override
        public J visitIdentifier(J.Identifier name, ExecutionContext ctx) {
            if (ShedLock.isOfShedLock(name.getType())) {
                uses.ofProviders |= ShedLock.isOfProvider(name.getType());
                uses.inMain |= !isTest;
                uses.inTests |= isTest;
                if (project != null && !isTest) {
                    uses.projects.add(project);
                }
            }
            return name;
        }
    }

    /** Nothing else of ShedLock is in use. */
    private static final class Remover extends JavaVisitor<ExecutionContext> {

        private static final AnnotationMatcher ENABLE = new AnnotationMatcher("@" + ShedLock.ENABLE);

        @Override
        public J visitCompilationUnit(J.CompilationUnit unit, ExecutionContext ctx) {
            J visited = super.visitCompilationUnit(unit, ctx);
            J.CompilationUnit translated = (J.CompilationUnit) new LockContextCalls().visitNonNull(visited, ctx);
            if (translated != visited) {
                maybeAddImport(LockContextCalls.LOCK_CONTEXT, false);
                maybeRemoveImport(ShedLock.ASSERT);
                maybeRemoveImport(ShedLock.EXTENDER);
            }
            return new RemoveAnnotationVisitor(ENABLE).visitNonNull(translated, ctx);
        }

        @Override
        public J visitClassDeclaration(J.ClassDeclaration type, ExecutionContext ctx) {
            J.ClassDeclaration visited = (J.ClassDeclaration) super.visitClassDeclaration(type, ctx);
            List<Statement> members = visited.getBody().getStatements();
            List<Statement> kept = members.stream()
                    .filter(each ->
                            !(each instanceof J.MethodDeclaration method && ShedLock.isOnlyHoldfastProvider(method)))
                    .toList();
            if (kept.size() == members.size()) {
                return visited;
            }
            maybeRemoveImport(ShedLock.PROVIDER);
            maybeRemoveImport(ShedLock.HOLDFAST_PROVIDER);
            maybeRemoveImport("dev.holdfast.lock.LockClient");
            maybeRemoveImport("org.springframework.context.annotation.Bean");
            return Note.NAMES.above(visited.withBody(visited.getBody().withStatements(kept)));
        }
    }

    /** Something of ShedLock goes on under the adapter. The note of a method that is still locked by ShedLock says so already. */
    private static @Nullable Note ofUse(Expression expression, Cursor place) {
        J.MethodDeclaration method = place.firstEnclosing(J.MethodDeclaration.class);
        if (method != null && Trees.find(method.getLeadingAnnotations(), ShedLock.LOCK) != null) {
            return null;
        }
        return ShedLock.EXECUTE.matches(expression)
                ? Note.EXECUTOR
                : ShedLock.ASSERT_LOCKED.matches(expression)
                        ? Note.ASSERTION
                        : ShedLock.EXTEND.matches(expression) ? Note.EXTENDER : null;
    }

    private static @Nullable Note ofTest(Expression expression, Cursor place) {
        return ShedLock.ASSERTS_PASS.matches(expression) ? Note.TEST_ASSERTION : null;
    }
}
