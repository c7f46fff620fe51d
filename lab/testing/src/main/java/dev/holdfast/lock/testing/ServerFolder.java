package dev.holdfast.lock.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** The folder one server works in: its configuration, its log and, after a SAVE, its data. */
record ServerFolder(Path path) {

    private static final String CONF = "redis.conf";

    static ServerFolder create() {
        try {
            return new ServerFolder(Files.createTempDirectory("holdfast-redis-"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Path write(String name, List<String> lines) {
        try {
            return Files.write(path.resolve(name), lines);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Written once; sentinels, and replicas that were told to, write down here what they learned. */
    Path configuration(List<String> lines) {
        return write(CONF, lines);
    }

    void deleteData() {
        try {
            Files.deleteIfExists(path.resolve("dump.rdb"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void delete() {
        delete(path);
    }

    static void delete(Path folder) {
        try (Stream<Path> content = Files.walk(folder)) {
            for (Path each : content.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(each);
            }
        } catch (NoSuchFileException alreadyGone) {
            // The guard of the server was faster.
        } catch (IOException | UncheckedIOException e) {
            System.getLogger(ServerFolder.class.getName())
                    .log(System.Logger.Level.DEBUG, "Could not delete " + folder, e);
        }
    }
}
