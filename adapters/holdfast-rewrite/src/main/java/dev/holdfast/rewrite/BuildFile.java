package dev.holdfast.rewrite;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.SourceFile;
import org.openrewrite.Tree;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.JavaVisitor;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.Statement;
import org.openrewrite.xml.XmlVisitor;
import org.openrewrite.xml.tree.Content;
import org.openrewrite.xml.tree.Xml;

/**
 * Replaces declared dependencies in a build of Maven or Gradle. It reads the file and not the resolved build, so it needs no network, and works where
 * the new artifacts are not resolved yet.
 */
final class BuildFile extends TreeVisitor<Tree, ExecutionContext> {

    private static final Pattern COORDINATES = Pattern.compile("(['\"])([^'\":]+):([^'\":]+)(:[^'\"]*)?['\"]");

    /** A dependency without its version. */
    record Module(String group, String name) {

        static Module holdfast(String name) {
            return new Module("dev.holdfast", name);
        }
    }

    private final Function<Module, @Nullable List<Module>> change;
    private final List<Module> missing;
    private final String oldGroup;
    private final String version;

    /**
     * Creates an edit.
     *
     * @param change what is declared in place of a dependency, itself included if it stays beside others; null if it stays
     * @param missing what is declared in addition, if the file has no dependency of Holdfast and none of the old group
     * @param oldGroup the group of the library that is replaced
     * @param version the version of Holdfast
     */
    BuildFile(Function<Module, @Nullable List<Module>> change, List<Module> missing, String oldGroup, String version) {
        this.change = change;
        this.missing = missing;
        this.oldGroup = oldGroup;
        this.version = version;
    }

    @Override
    public boolean isAcceptable(SourceFile source, ExecutionContext ctx) {
        return Sources.isMavenBuild(source) || Sources.isGradleBuild(source);
    }

    @Override
    public @Nullable Tree visit(@Nullable Tree tree, ExecutionContext ctx) {
        if (tree instanceof Xml.Document pom) {
            return new Maven().visit(pom, ctx);
        }
        return tree instanceof J ? new Gradle().visit(tree, ctx) : tree;
    }

    /** The dependencies of a pom, and those that it manages. */
    private final class Maven extends XmlVisitor<ExecutionContext> {

        /** OpenRewrite says by the same object that nothing has changed. */
        @SuppressWarnings("ReferenceEquality")
        @Override
        public Xml visitDocument(Xml.Document pom, ExecutionContext ctx) {
            Xml.Document visited = (Xml.Document) super.visitDocument(pom, ctx);
            return visited == pom ? visited : visited.withRoot(withoutUnusedVersions(visited.getRoot(), pom));
        }

        @Override
        public Xml visitTag(Xml.Tag tag, ExecutionContext ctx) {
            Xml.Tag visited = (Xml.Tag) super.visitTag(tag, ctx);
            if (!tag.getName().equals("dependencies") || visited.getContent() == null) {
                return visited;
            }
            boolean isOfProject = getCursor().getParentTreeCursor().getValue() instanceof Xml.Tag parent
                    && parent.getName().equals("project");
            List<Content> content = new ArrayList<>();
            String prefix = "\n    ";
            for (Content each : visited.getContent()) {
                List<Module> replacement = each instanceof Xml.Tag dependency ? change.apply(module(dependency)) : null;
                prefix = each instanceof Xml.Tag dependency ? dependency.getPrefix() : prefix;
                if (replacement == null || !(each instanceof Xml.Tag dependency)) {
                    content.add(each);
                } else {
                    for (Module module : replacement) {
                        if (module.equals(module(dependency))) {
                            content.add(dependency);
                        } else if (!declares(visited.getContent(), module) && !declares(content, module)) {
                            content.add(declared(dependency, module));
                        }
                    }
                }
            }
            if (isOfProject && content.stream().noneMatch(this::isOfOneOfBoth)) {
                for (Module module : missing) {
                    content.add(declared(prefix, module));
                }
            }
            return content.equals(visited.getContent()) ? visited : visited.withContent(content);
        }

        private boolean isOfOneOfBoth(Content content) {
            if (!(content instanceof Xml.Tag dependency)) {
                return false;
            }
            String group = module(dependency).group();
            return group.equals("dev.holdfast") || group.equals(oldGroup);
        }

        private boolean declares(List<? extends Content> content, Module module) {
            return content.stream()
                    .anyMatch(each -> each instanceof Xml.Tag other
                            && other.getName().equals("dependency")
                            && module(other).equals(module));
        }

        private Module module(Xml.Tag dependency) {
            return new Module(
                    dependency.getChildValue("groupId").orElse(""),
                    dependency.getChildValue("artifactId").orElse(""));
        }

        /** Keeps what else the old dependency says, such as its scope. */
        private Xml.Tag declared(Xml.Tag old, Module module) {
            Xml.Tag declared = old.withId(Tree.randomId())
                    .withChildValue("groupId", module.group())
                    .withChildValue("artifactId", module.name());
            if (declared.getChild("version").isPresent()) {
                return declared.withChildValue("version", version);
            }
            List<Content> content = new ArrayList<>();
            for (Content each : declared.getContent() == null ? List.<Content>of() : declared.getContent()) {
                content.add(each);
                if (each instanceof Xml.Tag child && child.getName().equals("artifactId")) {
                    content.add(
                            Xml.Tag.build("<version>" + version + "</version>").withPrefix(child.getPrefix()));
                }
            }
            return declared.withContent(content);
        }

        private Xml.Tag declared(String prefix, Module module) {
            String inner = prefix + "  ";
            return Xml.Tag.build("<dependency>" + inner + "<groupId>" + module.group() + "</groupId>" + inner
                            + "<artifactId>" + module.name() + "</artifactId>" + inner + "<version>" + version
                            + "</version>" + prefix + "</dependency>")
                    .withPrefix(prefix);
        }

        /** Drops properties that only the replaced dependencies used. */
        private Xml.Tag withoutUnusedVersions(Xml.Tag project, Xml.Document before) {
            Xml.Tag properties = project.getChild("properties").orElse(null);
            if (properties == null || properties.getContent() == null) {
                return project;
            }
            String text = before.withRoot(project).printAll();
            String old = before.printAll();
            List<Content> kept = new ArrayList<>();
            for (Content each : properties.getContent()) {
                String use = each instanceof Xml.Tag property ? "${" + property.getName() + "}" : "";
                if (use.isEmpty() || !old.contains(use) || text.contains(use)) {
                    kept.add(each);
                }
            }
            if (kept.size() == properties.getContent().size()) {
                return project;
            }
            List<Content> content = new ArrayList<>();
            for (Content each : project.getContent() == null ? List.<Content>of() : project.getContent()) {
                if (each != properties) {
                    content.add(each);
                } else if (!kept.isEmpty()) {
                    content.add(properties.withContent(kept));
                }
            }
            return project.withContent(content);
        }
    }

    /** Dependencies as {@code implementation 'group:name:version'}, in Groovy or Kotlin. */
    private final class Gradle extends JavaVisitor<ExecutionContext> {

        @Override
        public J visitBlock(J.Block block, ExecutionContext ctx) {
            J.Block visited = (J.Block) super.visitBlock(block, ctx);
            J.MethodInvocation owner = getCursor().firstEnclosing(J.MethodInvocation.class);
            if (owner == null || !owner.getSimpleName().equals("dependencies")) {
                return visited;
            }
            List<Statement> statements = new ArrayList<>();
            for (Statement each : visited.getStatements()) {
                J.MethodInvocation call = declaration(each);
                Matcher coordinates = call == null ? null : coordinates(call);
                List<Module> replacement = coordinates == null
                        ? null
                        : change.apply(new Module(coordinates.group(2), coordinates.group(3)));
                if (call == null || coordinates == null || replacement == null) {
                    statements.add(each);
                } else {
                    Module old = new Module(coordinates.group(2), coordinates.group(3));
                    for (Module module : replacement) {
                        J.MethodInvocation declared = declared(call, module, coordinates.group(1));
                        if (module.equals(old)) {
                            statements.add(each);
                        } else if (!declares(visited.getStatements(), declared) && !declares(statements, declared)) {
                            statements.add(declared.withPrefix(each.getPrefix()));
                        }
                    }
                }
            }
            return statements.equals(visited.getStatements()) ? visited : visited.withStatements(statements);
        }

        private static boolean declares(List<Statement> statements, J.MethodInvocation call) {
            String text = call.getArguments().get(0).toString();
            return statements.stream()
                    .map(Gradle::declaration)
                    .anyMatch(other -> other != null
                            && other.getArguments().get(0).toString().equals(text));
        }

        /** The last statement of a closure is its result. */
        private static J.@Nullable MethodInvocation declaration(Statement statement) {
            if (statement instanceof J.Return result && result.getExpression() instanceof J.MethodInvocation call) {
                return call;
            }
            return statement instanceof J.MethodInvocation call ? call : null;
        }

        private @Nullable Matcher coordinates(J.MethodInvocation call) {
            if (call.getArguments().isEmpty()) {
                return null;
            }
            Matcher matcher = COORDINATES.matcher(call.getArguments().get(0).printTrimmed(getCursor()));
            return matcher.matches() ? matcher : null;
        }

        private J.MethodInvocation declared(J.MethodInvocation old, Module module, String quote) {
            String coordinates = module.group() + ":" + module.name() + ":" + version;
            Expression first = old.getArguments().get(0);
            List<Expression> arguments = new ArrayList<>(old.getArguments());
            arguments.set(
                    0,
                    new J.Literal(
                            Tree.randomId(),
                            first.getPrefix(),
                            first.getMarkers(),
                            coordinates,
                            quote + coordinates + quote,
                            null,
                            JavaType.Primitive.String));
            return old.withId(Tree.randomId()).withArguments(arguments);
        }
    }
}
