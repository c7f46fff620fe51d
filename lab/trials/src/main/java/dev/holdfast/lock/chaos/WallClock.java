package dev.holdfast.lock.chaos;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;

/**
 * The wall clock of processes that preload a library, which {@code gcc} compiles from {@code clock.c}. The clock can be moved while the processes
 * run. Their monotonic clock is not affected.
 */
final class WallClock {

    private final Path library;
    private final Path file;
    private final MappedByteBuffer offset;

    private WallClock(Path library, Path folder, String name) {
        this.library = library;
        this.file = folder.resolve(name);
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            offset = channel.map(FileChannel.MapMode.READ_WRITE, 0, Long.BYTES);
            offset.order(ByteOrder.nativeOrder());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Compiles the library in a folder. Throws {@link IOException} if this fails. */
    static Path compile(Path folder) throws IOException, InterruptedException {
        Path source = folder.resolve("clock.c");
        Path library = folder.resolve("clock.so");
        try (InputStream in = Objects.requireNonNull(WallClock.class.getResourceAsStream("/clock.c"))) {
            Files.copy(in, source, StandardCopyOption.REPLACE_EXISTING);
        }
        int status = new ProcessBuilder("gcc", "-shared", "-fPIC", "-O2", "-o", library.toString(), source.toString())
                .inheritIO()
                .start()
                .waitFor();
        if (status != 0) {
            throw new IOException("gcc answered " + status);
        }
        return library;
    }

    /** Returns a clock that can be moved independently of others. */
    static WallClock of(Path library, Path folder, String name) {
        return new WallClock(library, folder, name);
    }

    /** Returns the environment variables that a process needs to use this clock. */
    Map<String, String> environment() {
        return Map.of("LD_PRELOAD", library.toString(), "CHAOS_CLOCK", file.toString());
    }

    /** Sets the clock's offset from the true time. */
    void set(Duration beside) {
        offset.putLong(0, beside.toNanos());
    }

    Duration get() {
        return Duration.ofNanos(offset.getLong(0));
    }
}
