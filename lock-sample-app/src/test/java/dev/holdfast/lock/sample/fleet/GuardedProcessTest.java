package dev.holdfast.lock.sample.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GuardedProcessTest {

    /** Starts a guarded process that stands still, says its number, and stays. */
    static final class Launcher {
        public static void main(String[] args) throws InterruptedException {
            GuardedProcess child = GuardedProcess.start(Path.of(args[0]), List.of("sleep", "600"));
            child.pause();
            System.out.println(child.pid());
            Thread.sleep(600_000);
        }
    }

    @Test
    void standingChildIsGoneWhenItsLauncherIsKilled(@TempDir Path folder) throws Exception {
        Process launcher = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Launcher.class.getName(),
                        folder.resolve("log").toString())
                .redirectErrorStream(true)
                .start();
        ProcessHandle child = ProcessHandle.of(
                        Long.parseLong(launcher.inputReader().readLine()))
                .orElseThrow();

        launcher.destroyForcibly();

        child.onExit().get(10, TimeUnit.SECONDS);
        assertThat(child.isAlive()).isFalse();
    }

    @Test
    void childEndsWhenAsked(@TempDir Path folder) {
        GuardedProcess child = GuardedProcess.start(folder.resolve("log"), List.of("sleep", "600"));
        child.pause();
        child.terminate();
        assertThat(child.awaitEnd(10)).isTrue();
    }
}
