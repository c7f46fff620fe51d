package dev.holdfast.lock.chaos;

import dev.holdfast.check.Address;
import dev.holdfast.check.FaultLog;
import dev.holdfast.check.Faults;
import dev.holdfast.check.Stage;
import dev.holdfast.check.Workers;
import dev.holdfast.lock.testing.RedisServer;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * One server and workers whose wall clocks can be moved. The server is the {@code redis-server} on the path. The server of other classes cannot be
 * used, because it is linked statically and so preloads no library.
 */
final class ClockStage implements Stage {

    private final RedisServer server;
    private final WallClock serverClock;
    private final List<WallClock> workerClocks;

    ClockStage() {
        try {
            Path folder = Files.createTempDirectory("holdfast-clock-");
            Path library = WallClock.compile(folder);
            serverClock = WallClock.of(library, folder, "server");
            workerClocks = IntStream.range(0, Workers.COUNT)
                    .mapToObj(i -> WallClock.of(library, folder, "worker-" + i))
                    .toList();
            server = RedisServer.startFrom(
                    preloading(folder, onPath("redis-server").orElseThrow()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Creates a script that replaces the server's binary. It sets the environment of the server, because the fixture passes on its own. */
    private Path preloading(Path folder, Path binary) throws IOException {
        Path script = folder.resolve("redis-server");
        StringBuilder text = new StringBuilder("#!/bin/sh\n");
        serverClock.environment().forEach((name, value) -> text.append("export " + name + "='" + value + "'\n"));
        Files.writeString(script, text + "exec " + binary + " \"$@\"\n");
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
        return script;
    }

    /** Returns whether there is a compiler, and a server whose clock can be moved. */
    static boolean isPossible() {
        if (onPath("gcc").isEmpty() || onPath("redis-server").isEmpty()) {
            return false;
        }
        try (ClockStage stage = new ClockStage()) {
            stage.serverClock.set(Duration.ofDays(1));
            long seconds = Long.parseLong(stage.server.cli().time().get(0));
            return seconds > System.currentTimeMillis() / 1_000 + 3_600;
        } catch (RuntimeException noServer) {
            return false;
        }
    }

    private static Optional<Path> onPath(String program) {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
                .map(folder -> Path.of(folder, program))
                .filter(Files::isExecutable)
                .findFirst();
    }

    @Override
    public Address address(int worker) {
        return new Address(Address.Shape.SERVER, List.of(server.port()));
    }

    @Override
    public Map<String, String> environment(int worker) {
        return workerClocks.get(worker).environment();
    }

    @Override
    public List<Faults> faults(Workers workers, FaultLog log) {
        List<Faults> faults = new ArrayList<>();
        faults.add(new ClockFaults(serverClock, workers, log));
        for (int i = 0; i < Workers.COUNT; i++) {
            faults.add(new WallClockFaults(workerClocks.get(i), i, log));
        }
        return faults;
    }

    @Override
    public void heal() {
        serverClock.set(Duration.ZERO);
        workerClocks.forEach(clock -> clock.set(Duration.ZERO));
    }

    @Override
    public List<String> leftBehind() {
        return Leftovers.of(server);
    }

    @Override
    public void close() {
        server.close();
    }
}
