package dev.holdfast.rewrite;

import java.util.function.Predicate;
import org.openrewrite.SourceFile;
import org.openrewrite.java.marker.JavaSourceSet;
import org.openrewrite.java.tree.JavaSourceFile;
import org.openrewrite.java.tree.JavaType;

/** Where a source file belongs. */
final class Sources {

    private Sources() {}

    static boolean isTest(SourceFile source) {
        return source.getMarkers()
                .findFirst(JavaSourceSet.class)
                .map(set -> !set.getName().equals("main"))
                .orElseGet(() ->
                        source.getSourcePath().toString().replace('\\', '/').matches("(.*/)?src/\\w*[tT]est/.*"));
    }

    /** {@return whether a source uses such a class} */
    static boolean uses(JavaSourceFile source, Predicate<JavaType> type) {
        return source.getTypesInUse().getTypesInUse().stream().anyMatch(type);
    }

    static boolean isMavenBuild(SourceFile source) {
        return source.getSourcePath().endsWith("pom.xml");
    }

    static boolean isGradleBuild(SourceFile source) {
        String name = source.getSourcePath().toString();
        return name.endsWith(".gradle") || name.endsWith(".gradle.kts");
    }
}
