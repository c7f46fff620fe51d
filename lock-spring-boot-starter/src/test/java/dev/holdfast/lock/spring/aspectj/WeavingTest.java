package dev.holdfast.lock.spring.aspectj;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.testing.OneAtATime;
import dev.holdfast.lock.testing.RedisServer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.aspectj.weaver.loadtime.Agent;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A JVM with AspectJ's load-time weaver, and no other set-up than its agent. */
@OneAtATime
@Nightly(inEachBuild = "The tests of calls through a proxy")
class WeavingTest {

    private static List<String> lines;

    @BeforeAll
    static void run() throws Exception {
        Path weaver = Path.of(
                Agent.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        Process program = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        // The weaver looks at every class once: compiling it well takes longer than that.
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-javaagent:" + weaver,
                        "-cp",
                        System.getProperty("java.class.path"),
                        WovenProgram.class.getName(),
                        RedisServer.shared().uri().toURI().toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            lines = new String(program.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
            assertThat(program.waitFor(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
        } finally {
            program.destroyForcibly();
        }
    }

    @Test
    void callFromWithinTheSameObjectIsLocked() {
        assertThat(lines).contains("self-invocation: locked");
    }

    @Test
    void objectThatIsNoBeanIsLocked() {
        assertThat(lines).contains("no bean: locked");
    }

    @Test
    void callThroughAProxyIsLockedOnce() {
        assertThat(lines).contains("through the proxy: locked, 1 acquisition, 1 evaluation of the key");
    }

    @Test
    void recursionOverAnotherKeyIsLockedForEach() {
        assertThat(lines).contains("recursion: outer locked, inner locked");
    }

    @Test
    void beanUsesTheLocksOfItsOwnContext() {
        assertThat(lines).contains("two contexts: locked, not locked");
    }

    @Test
    void oneContextsLocksWorkOnAfterAnotherContextHasClosed() {
        assertThat(lines).contains("after another context has closed: locked, locked");
    }

    @Test
    void repositorysMethodIsLockedOnce() {
        assertThat(lines)
                .contains("repository's query: 1 acquisition", "repository's default method: locked, 1 acquisition");
    }

    @Test
    void publisherThroughAProxyIsLockedOnce() {
        assertThat(lines).contains("publisher: locked, 1 acquisition");
    }
}
