package dev.holdfast.rewrite;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.ScanningRecipe;
import org.openrewrite.SourceFile;
import org.openrewrite.Tree;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.marker.JavaProject;
import org.openrewrite.java.tree.JavaSourceFile;
import org.openrewrite.java.tree.JavaType;

/** Replaces a library by Holdfast once no source uses the library any more. While some do, a build gets Holdfast beside it as soon as sources moved. */
final class ReplaceDependencies extends ScanningRecipe<ReplaceDependencies.Uses> {

    private final String group;
    private final String names;
    private final Pattern packages;
    private final List<BuildFile.Module> replacement;

    /** What the sources of the whole application use. */
    static final class Uses {

        private boolean ofLibrary;
        private boolean ofHoldfast;
        private final Set<JavaProject> projects = new HashSet<>();
    }

    /**
     * Creates the recipe.
     *
     * @param group the library's group
     * @param names how the names of its artifacts begin
     * @param packages how the names of classes begin that need the library
     * @param replacement what an application needs in its place
     */
    ReplaceDependencies(String group, String names, String packages, List<BuildFile.Module> replacement) {
        this.group = group;
        this.names = names;
        this.packages = Pattern.compile(packages);
        this.replacement = replacement;
    }

    @Override
    public String getDisplayName() {
        return "Replace `" + group + "` by Holdfast";
    }

    @Override
    public String getDescription() {
        return "Replaces the dependency if no source uses it.";
    }

    @Override
    public Uses getInitialValue(ExecutionContext ctx) {
        return new Uses();
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getScanner(Uses uses) {
        return new TreeVisitor<>() {
            @Override
            public @Nullable Tree visit(@Nullable Tree tree, ExecutionContext ctx) {
                if (tree instanceof JavaSourceFile source && !Sources.isGradleBuild(source)) {
                    for (JavaType type : source.getTypesInUse().getTypesInUse()) {
                        if (type instanceof JavaType.FullyQualified named) {
                            read(named.getFullyQualifiedName(), source);
                        }
                    }
                }
                return tree;
            }

            private void read(String type, SourceFile source) {
                uses.ofLibrary |= packages.matcher(type).lookingAt();
                if (type.startsWith("dev.holdfast.lock.") && !Sources.isTest(source)) {
                    uses.ofHoldfast = true;
                    source.getMarkers().findFirst(JavaProject.class).ifPresent(uses.projects::add);
                }
            }
        };
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getVisitor(Uses uses) {
        return new TreeVisitor<>() {
            @Override
            public @Nullable Tree visit(@Nullable Tree tree, ExecutionContext ctx) {
                return tree instanceof SourceFile file && (uses.ofHoldfast || !uses.ofLibrary)
                        ? build(uses, file).visit(file, ctx)
                        : tree;
            }
        };
    }

    private BuildFile build(Uses uses, SourceFile file) {
        boolean needsHoldfast = file.getMarkers()
                .findFirst(JavaProject.class)
                .map(uses.projects::contains)
                .orElse(false);
        return new BuildFile(
                module -> module.group().equals(group) && module.name().startsWith(names)
                        ? declared(module, uses.ofLibrary)
                        : null,
                needsHoldfast ? replacement : List.of(),
                group,
                HoldfastVersion.get());
    }

    private List<BuildFile.Module> declared(BuildFile.Module old, boolean stays) {
        List<BuildFile.Module> modules = new ArrayList<>();
        if (stays) {
            modules.add(old);
        }
        modules.addAll(replacement);
        return modules;
    }
}
