package dev.holdfast.lock.docs.site;

import dev.holdfast.lock.docs.Page;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.DocumentationTool;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** The Javadoc of what users call, of all modules together. */
final class Javadoc {

    static final String INDEX = "javadoc/index.html";

    private static final List<String> PACKAGES = List.of(
            "lock-core/src/main/java/dev/holdfast/lock",
            "lock-core/src/main/java/dev/holdfast/lock/composite",
            "lock-core/src/main/java/dev/holdfast/lock/redis",
            "lock-spring-boot-starter/src/main/java/dev/holdfast/lock/spring",
            "adapters/lock-fencing/src/main/java/dev/holdfast/lock/spring/fencing",
            "lock-test/src/main/java/dev/holdfast/lock/test",
            "lock-test/src/main/java/dev/holdfast/lock/test/junit",
            "lock-test/src/main/java/dev/holdfast/lock/test/spring",
            "adapters/lock-shedlock/src/main/java/dev/holdfast/lock/shedlock",
            "adapters/lock-spring-integration/src/main/java/dev/holdfast/lock/integration");

    private Javadoc() {}

    static void write(Path folder) throws IOException {
        DocumentationTool tool = ToolProvider.getSystemDocumentationTool();
        StringWriter problems = new StringWriter();
        try (StandardJavaFileManager files = tool.getStandardFileManager(null, null, null)) {
            List<String> options = List.of(
                    "-d",
                    folder.resolve("javadoc").toString(),
                    "-quiet",
                    "-Xdoclint:none",
                    "-encoding",
                    "UTF-8",
                    "-windowtitle",
                    "Holdfast",
                    "-classpath",
                    System.getProperty("java.class.path"));
            boolean written = tool.getTask(
                            problems, files, null, null, options, files.getJavaFileObjectsFromPaths(sources()))
                    .call();
            if (!written) {
                throw new IOException("No Javadoc: " + problems);
            }
        }
    }

    private static List<Path> sources() throws IOException {
        List<Path> sources = new ArrayList<>();
        for (String each : PACKAGES) {
            try (Stream<Path> files = Files.list(Page.ROOT.resolve(each))) {
                files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
            }
        }
        return sources;
    }
}
