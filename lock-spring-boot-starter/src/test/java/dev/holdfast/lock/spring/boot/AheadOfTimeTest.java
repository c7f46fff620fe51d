package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.testing.OneAtATime;
import dev.holdfast.lock.testing.RedisServer;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplicationAotProcessor;
import org.springframework.context.aot.AbstractAotProcessor.Settings;

/** An application that was processed ahead of time: what {@code process-aot} does, then a start on what it made. */
class AheadOfTimeTest {

    @TempDir
    static Path folder;

    @BeforeAll
    static void process() throws IOException {
        Settings settings = Settings.builder()
                .sourceOutput(folder.resolve("sources"))
                .resourceOutput(folder.resolve("resources"))
                .classOutput(folder.resolve("classes"))
                .groupId("dev.holdfast")
                .artifactId("sample")
                .build();
        new SpringApplicationAotProcessor(SampleProcess.class, settings, new String[0]).process();
    }

    private static void compile(Path sources, Path classes) throws IOException {
        Files.createDirectories(classes);
        List<String> arguments = new ArrayList<>(List.of(
                "-proc:none",
                "-cp",
                classes + File.pathSeparator + System.getProperty("java.class.path"),
                "-d",
                classes.toString()));
        try (Stream<Path> found = Files.walk(sources)) {
            found.map(Path::toString).filter(path -> path.endsWith(".java")).forEach(arguments::add);
        }
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new)))
                .isZero();
    }

    @Test
    @OneAtATime
    @Nightly(inEachBuild = "the code is generated, with hints for what the library reads")
    void startsOnGeneratedCodeAndLocks() throws Exception {
        compile(folder.resolve("sources"), folder.resolve("classes"));
        List<Path> generated = List.of(folder.resolve("classes"), folder.resolve("resources"));
        assertLocks(ChildJvm.command(generated, List.of("-Dspring.aot.enabled=true"), SampleProcess.class));
    }

    private static void assertLocks(List<String> command) throws IOException {
        List<String> arguments = new ArrayList<>(command);
        arguments.add("--spring.data.redis.host=127.0.0.1");
        arguments.add("--spring.data.redis.port=" + RedisServer.shared().port());
        arguments.add("--holdfast.key-prefix=" + UUID.randomUUID() + ":");
        try (ChildJvm application = ChildJvm.run(arguments)) {
            assertThat(application.await("AOT")).isEqualTo("AOT true");
            assertThat(application.await("ITSELF")).isEqualTo("ITSELF name:itself true");
            assertThat(application.await("HELD")).isEqualTo("HELD work:4711 true");
            application.say("finish");
            application.await("DONE");
        }
    }

    @Test
    void nativeImageIsToldOfScriptsAnnotationAndKeyArguments() throws IOException {
        assertThat(hints())
                .contains("dev/holdfast/lock/internal/protocol/lua/")
                .contains("dev.holdfast.lock.spring.DistributedLock\"")
                .contains("dev.holdfast.lock.spring.boot.LockProperties\"", "declaration.LockSettings\"")
                .contains("SampleProcess$Order\"", "SampleProcess$Customer\"", "java.lang.Long\"", "java.util.UUID\"")
                .contains("KeyExpression$Root\"")
                .contains("JobBoard$Job\"", "JobBoard$Entry\"", "JobBoard$Outcome\"")
                .containsPattern("\"proxy\"\\s*:\\s*\\[\\s*\"dev.holdfast.lock.Lease\"");
    }

    @Test
    @OneAtATime
    @Nightly(inEachBuild = "the code is generated, with hints for what the library reads")
    void nativeImageStartsAndLocks() throws Exception {
        Optional<Path> compiler = Stream.of(System.getenv("GRAALVM_HOME"), System.getProperty("java.home"))
                .filter(Objects::nonNull)
                .map(home -> Path.of(home, "bin", "native-image"))
                .filter(Files::isExecutable)
                .findFirst();
        assumeTrue(
                compiler.isPresent(),
                "No GraalVM found: neither GRAALVM_HOME nor the JDK that runs this test has bin/native-image");
        compile(folder.resolve("sources"), folder.resolve("classes"));
        Path image = folder.resolve("sample");
        Path log = folder.resolve("native-image.log");
        String path = String.join(
                File.pathSeparator,
                folder.resolve("classes").toString(),
                folder.resolve("resources").toString(),
                System.getProperty("java.class.path"));
        Process build = new ProcessBuilder(
                        compiler.get().toString(),
                        "--no-fallback",
                        "-o",
                        image.toString(),
                        "-cp",
                        path,
                        SampleProcess.class.getName())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        int exit = build.waitFor();
        assertThat(exit).as(() -> "see the end of " + log).isZero();
        assertLocks(List.of(image.toString()));
    }

    private static String hints() throws IOException {
        List<String> texts = new ArrayList<>();
        try (Stream<Path> files = Files.walk(folder.resolve("resources"))) {
            for (Path file :
                    files.filter(path -> path.toString().endsWith(".json")).toList()) {
                texts.add(Files.readString(file));
            }
        }
        // The file has its slashes escaped.
        return String.join("\n", texts).replace("\\/", "/");
    }
}
