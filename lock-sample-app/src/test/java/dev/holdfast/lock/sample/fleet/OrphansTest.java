package dev.holdfast.lock.sample.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.ChildProcess;
import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.testing.OneAtATime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nothing outlives the launcher, however it ends: no instance, no Redis, no folder. */
@Nightly(inEachBuild = "nothing: only a launcher that is killed shows it")
@OneAtATime
class OrphansTest {

    @TempDir
    private Path folder;

    private List<ProcessHandle> started = List.of();

    @AfterEach
    void endWhatAFailedTestLeft() {
        started.forEach(ProcessHandle::destroyForcibly);
    }

    @Test
    void killedLauncherLeavesNothingEvenIfAnInstanceIsPaused() throws Exception {
        Process launcher = launch(List.of());
        awaitInstances(launcher.toHandle());
        ChildProcess.signal(instances(launcher.toHandle()).get(0).pid(), "STOP");
        launcher.destroyForcibly();
        assertAllGone();
    }

    @Test
    void closedTerminalLeavesNothing() throws Exception {
        // A process group of its own, as a terminal gives it.
        List<String> terminal = new ArrayList<>(List.of("setsid"));
        if (LaunchedFleet.succeeds("env", "--default-signal=HUP", "true")) {
            // A build that was started with nohup ignores SIGHUP, and so would its children.
            terminal.addAll(List.of("env", "--default-signal=HUP"));
        }
        Process launcher = launch(terminal);
        awaitInstances(launcher.toHandle());
        ChildProcess.signal(-launcher.pid(), "HUP");
        assertAllGone();
    }

    @Test
    void killedBuildLeavesNothing() throws Exception {
        Process build = launch(List.of("/bin/sh", "-c", "\"$@\"; exit", "build"));
        awaitInstances(build.toHandle());
        build.destroyForcibly();
        assertAllGone();
    }

    @Test
    void pausedChildEndsWhenAsked() {
        GuardedProcess child = GuardedProcess.start(folder.resolve("log"), List.of("sleep", "600"), Map.of());
        child.pause();
        child.terminate();
        assertThat(child.awaitEnd(10)).isTrue();
    }

    private Process launch(List<String> through) throws IOException {
        List<String> command = new ArrayList<>(through);
        command.addAll(LaunchedFleet.command("-Dfleet.port=18500", "-Djava.io.tmpdir=" + folder));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private void awaitInstances(ProcessHandle launcher) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
        while (instances(launcher).size() < 3) {
            assertThat(launcher.isAlive() && System.nanoTime() - end < 0)
                    .as("the launcher starts three instances")
                    .isTrue();
            Thread.sleep(50); // No event tells that a process has children.
        }
        started = launcher.descendants().toList();
    }

    private void assertAllGone() throws Exception {
        for (ProcessHandle each : started) {
            each.onExit().get(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!leftFolders().isEmpty() && System.nanoTime() - end < 0) {
            Thread.sleep(50); // No event tells that a folder is gone.
        }
        assertThat(leftFolders()).isEmpty();
    }

    private List<Path> leftFolders() throws IOException {
        try (Stream<Path> content = Files.list(folder)) {
            return content.filter(each -> each.getFileName().toString().startsWith("holdfast-shop-"))
                    .toList();
        }
    }

    /**
     * The JVMs that a shell has started and that have no children: not the launcher's. A shell that the launcher is starting is a copy of its JVM
     * for a moment. A test that paused it would leave it behind.
     */
    private static List<ProcessHandle> instances(ProcessHandle launcher) {
        return launcher.descendants()
                .filter(OrphansTest::isJvm)
                .filter(each -> !each.parent().map(OrphansTest::isJvm).orElse(true))
                .filter(each -> each.children().findAny().isEmpty())
                .toList();
    }

    private static boolean isJvm(ProcessHandle process) {
        return process.info().command().orElse("").endsWith("java");
    }
}
