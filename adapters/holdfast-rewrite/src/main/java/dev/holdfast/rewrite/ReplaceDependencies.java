package dev.holdfast.rewrite;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.ScanningRecipe;
import org.openrewrite.Tree;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.tree.JavaSourceFile;
import org.openrewrite.java.tree.JavaType;

/** Replaces a library by the starter, once no source uses the library any more. */
final class ReplaceDependencies extends ScanningRecipe<boolean[]> {

    private final String group;
    private final String names;
    private final String packages;

    /**
     * Creates the recipe.
     *
     * @param group the library's group
     * @param names how the names of its artifacts begin
     * @param packages how the names of its classes begin
     */
    ReplaceDependencies(String group, String names, String packages) {
        this.group = group;
        this.names = names;
        this.packages = packages;
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
    public boolean[] getInitialValue(ExecutionContext ctx) {
        return new boolean[1];
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getScanner(boolean[] isUsed) {
        return new TreeVisitor<>() {
            @Override
            public @Nullable Tree visit(@Nullable Tree tree, ExecutionContext ctx) {
                if (tree instanceof JavaSourceFile source && !Sources.isGradleBuild(source)) {
                    isUsed[0] |= source.getTypesInUse().getTypesInUse().stream()
                            .anyMatch(type -> type instanceof JavaType.FullyQualified named
                                    && named.getFullyQualifiedName().startsWith(packages));
                }
                return tree;
            }
        };
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getVisitor(boolean[] isUsed) {
        return isUsed[0]
                ? TreeVisitor.noop()
                : new BuildFile(
                        module -> module.group().equals(group) && module.name().startsWith(names)
                                ? List.of(BuildFile.Module.holdfast("lock-spring-boot-starter"))
                                : null,
                        List.of(),
                        group,
                        HoldfastVersion.get());
    }
}
