package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.testing.OneAtATime;
import dev.holdfast.lock.testing.RedisContainer;
import dev.holdfast.lock.testing.RedisServer;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A Redis that only a Compose file names: Spring Boot starts the project and says where its Redis is. */
@Nightly(inEachBuild = "LockAutoConfigurationTest, whose connection details replace the properties")
@OneAtATime
class DockerComposeTest {

    private final String prefix = "compose-" + UUID.randomUUID() + ":";

    @TempDir
    Path folder;

    @BeforeEach
    void writeComposeFile() throws IOException {
        Files.writeString(folder.resolve("compose.yaml"), """
                services:
                  redis:
                    image: %s
                    ports: ["127.0.0.1::6379"]
                    labels: { org.springframework.boot.service-connection: redis }
                """.formatted(RedisContainer.image()));
    }

    @Test
    void locksAreInTheRedisOfTheComposeProject() throws Exception {
        assumeTrue(isComposeInstalled(), "No 'docker compose' here");
        Optional<String> whyNot = RedisContainer.whyNot();
        assumeTrue(whyNot.isEmpty(), whyNot::orElseThrow);
        try (ChildJvm application = ChildJvm.run(application())) {
            assertThat(application.await("HELD")).isEqualTo("HELD work:4711 true");
            application.say("finish");
            application.await("DONE");
            application.terminate();
            application.exitCode();
        }
    }

    /** All of Spring Boot's support and of ours runs; only the docker command is a script. */
    @Test
    void locksAreWhereTheDockerCommandSaysThatRedisIs() throws Exception {
        RedisServer server = RedisServer.shared();
        Path calls = folder.resolve("calls");
        List<String> command =
                new ArrayList<>(List.of("env", "PATH=" + standIn(), "CALLS=" + calls, "HOST_PORT=" + server.port()));
        command.addAll(application());
        try (ChildJvm application = ChildJvm.run(command)) {
            assertThat(application.await("HELD")).isEqualTo("HELD work:4711 true");
            assertThat(server.cli().pttl(prefix + "work:4711")).isPositive();
            application.say("finish");
            application.await("DONE");
            application.terminate();
            application.exitCode();
        }
        assertThat(Files.readString(calls)).containsSubsequence("version", "config", " up ", "inspect", " down ");
        assertThat(server.cli().exists(prefix + "work:4711")).isZero();
    }

    /** The port in the properties is nobody's: the connection details must replace it. */
    private List<String> application() {
        return ChildJvm.command(
                List.of(),
                List.of(),
                SampleProcess.class,
                "--spring.docker.compose.enabled=true",
                // Leaves no stopped container behind.
                "--spring.docker.compose.stop.command=down",
                "--spring.docker.compose.file=" + folder.resolve("compose.yaml"),
                "--spring.data.redis.port=1",
                "--holdfast.key-prefix=" + prefix);
    }

    /** A path on which the script is the docker command. */
    private String standIn() throws IOException {
        Path docker = Files.createDirectory(folder.resolve("bin")).resolve("docker");
        try (InputStream script = Objects.requireNonNull(getClass().getResourceAsStream("/docker-stand-in.sh"))) {
            Files.copy(script, docker);
        }
        assertThat(docker.toFile().setExecutable(true)).isTrue();
        return docker.getParent() + File.pathSeparator + System.getenv("PATH");
    }

    private static boolean isComposeInstalled() throws InterruptedException {
        try {
            return new ProcessBuilder("docker", "compose", "version")
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException noDocker) {
            return false;
        }
    }
}
