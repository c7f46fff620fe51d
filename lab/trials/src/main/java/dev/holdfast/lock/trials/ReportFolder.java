package dev.holdfast.lock.trials;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The folder into which a run writes its tables and pictures. It is created with its first file. */
public record ReportFolder(Path path) {

    /** Writes a file, or replaces it. */
    public void write(String file, String text) {
        write(file, text, StandardOpenOption.TRUNCATE_EXISTING);
    }

    /** Adds a line to a file. */
    public void append(String file, String line) {
        write(file, line + "\n", StandardOpenOption.APPEND);
    }

    private void write(String file, String text, StandardOpenOption how) {
        try {
            Files.writeString(
                    Files.createDirectories(path).resolve(file),
                    text,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.WRITE,
                    how);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
