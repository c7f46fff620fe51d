package dev.holdfast.rewrite;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The version of Holdfast that recipes write into a build: their own. */
final class HoldfastVersion {

    private HoldfastVersion() {}

    static String get() {
        try (InputStream text = HoldfastVersion.class.getResourceAsStream("version.txt")) {
            if (text == null) {
                throw new IllegalStateException("The recipes' jar has no version.txt");
            }
            return new String(text.readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
