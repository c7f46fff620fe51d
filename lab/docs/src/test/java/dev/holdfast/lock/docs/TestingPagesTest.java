package dev.holdfast.lock.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.testing.Nightly;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** The tests of the page about testing, in one application, as a reader has them who copies all of them. */
@Nightly(inEachBuild = "ExamplesTest compiles these tests")
class TestingPagesTest {

    private static final String PAGE = "docs/testing.md";

    private static final Pattern TYPE =
            Pattern.compile("(?m)^(?:public )?(?:final |abstract )?(?:class|interface|record|enum|@interface) (\\w+)");

    private static final String PACKAGE = "com.example.shop";

    private static final String APPLICATION = """
            @org.springframework.boot.autoconfigure.SpringBootApplication
            class TestedApplication {}
            """;

    @TempDir
    Path project;

    /** Only the snapshot of the locks fails, as its page says of a first run: somebody has to read it. */
    @Test
    void testsOfThePagePassInOneApplication() throws Exception {
        compile();
        String output = run();

        Matcher passed = Pattern.compile("(\\d+) passed, 1 failed").matcher(output);
        assertThat(passed.find()).as(output).isTrue();
        assertThat(Integer.parseInt(passed.group(1))).isGreaterThan(3);
        assertThat(output).contains("The snapshot was written to src/test/resources/locks.txt");
    }

    private void compile() throws IOException {
        List<Path> sources = new ArrayList<>(List.of(write("TestedApplication", APPLICATION)));
        for (Page.Block block : Page.of(PAGE).blocks()) {
            Matcher type = TYPE.matcher(block.text());
            if (block.mark().equals("java file") && type.find()) {
                sources.add(write(type.group(1), block.text()));
            }
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            List<String> options =
                    List.of("-d", project.toString(), "-cp", classPath(), "-proc:none", "-parameters", "-nowarn");
            assertThat(compiler.getTask(null, files, null, options, null, files.getJavaFileObjectsFromPaths(sources))
                            .call())
                    .isTrue();
        }
    }

    private Path write(String type, String text) throws IOException {
        Path file = project.resolve("com/example/shop/" + type + ".java");
        Files.createDirectories(file.getParent());
        assertThat(file).as("two files of one name").doesNotExist();
        return Files.writeString(file, "package " + PACKAGE + ";\n\n" + text.replaceFirst("package [\\w.]+;", ""));
    }

    private String run() throws IOException, InterruptedException {
        Process tests = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-Dlogging.level.root=off",
                        "-Dspring.main.banner-mode=off",
                        "-Dspring.test.print-condition-evaluation-report=false",
                        "-Dspring.autoconfigure.exclude=org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
                        "-cp",
                        project + System.getProperty("path.separator") + classPath(),
                        TestingPagesTest.class.getName())
                .directory(project.toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(tests.getInputStream().readAllBytes());
        tests.waitFor();
        return output;
    }

    /** The process in which the tests run. */
    public static void main(String[] arguments) {
        SummaryGeneratingListener results = new SummaryGeneratingListener();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(DiscoverySelectors.selectPackage(PACKAGE))
                                .build(),
                        results);
        TestExecutionSummary summary = results.getSummary();
        summary.printFailuresTo(new PrintWriter(System.out, true), 12);
        System.out.println(summary.getTestsSucceededCount() + " passed, " + summary.getTotalFailureCount() + " failed");
        System.exit(0); // Threads of the applications would go on.
    }

    private static String classPath() {
        return System.getProperty("java.class.path");
    }
}
