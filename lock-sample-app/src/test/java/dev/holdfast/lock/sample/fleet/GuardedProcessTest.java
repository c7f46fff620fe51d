package dev.holdfast.lock.sample.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GuardedProcessTest {

    @Test
    void everyChildIsGoneWhenTheLauncherIsKilledEvenOneThatStandsStill(@TempDir Path folder) throws Exception {
        Process launcher = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Dfleet.port=18500",
                        "-Djava.io.tmpdir=" + folder,
                        "-cp",
                        System.getProperty("java.class.path"),
                        Fleet.class.getName())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        while (shops(launcher).size() < 3) {
            assertThat(launcher.isAlive()).isTrue();
            Thread.sleep(20); // Nobody tells when a process has children.
        }
        List<ProcessHandle> children = launcher.descendants().toList();
        signal("STOP", shops(launcher).get(0));

        launcher.destroyForcibly();

        for (ProcessHandle each : children) {
            each.onExit().get(20, TimeUnit.SECONDS);
        }
    }

    @Test
    void standingChildEndsWhenAsked(@TempDir Path folder) {
        GuardedProcess child = GuardedProcess.start(folder.resolve("log"), List.of("sleep", "600"));
        child.pause();
        child.terminate();
        assertThat(child.awaitEnd(10)).isTrue();
    }

    /** The JVMs, not the shells that guard them. */
    private static List<ProcessHandle> shops(Process launcher) {
        return launcher.descendants()
                .filter(each -> each.info().command().orElse("").endsWith("java"))
                .toList();
    }

    private static void signal(String name, ProcessHandle process) throws Exception {
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .start()
                .waitFor();
    }
}
