package dev.holdfast.lock.internal.connection;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** A Lua script. The server identifies it by its SHA-1 digest in lower-case hexadecimal digits. */
public record Script(String name, String text, String sha) {

    /**
     * Reads a script and its digest from the folder {@code lua} next to the given class, where the build has put both. The file of the script is sent
     * to Redis unchanged.
     */
    public static Script load(Class<?> neighbor, String name) {
        return new Script(name, read(neighbor, name + ".lua"), read(neighbor, name + ".sha1"));
    }

    private static String read(Class<?> neighbor, String name) {
        try (InputStream file = neighbor.getResourceAsStream("lua/" + name)) {
            if (file == null) {
                throw new IllegalStateException("The file lua/" + name + " is missing beside " + neighbor);
            }
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns a script with this text. */
    public static Script of(String name, String text) {
        return new Script(name, text, sha1(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static String sha1(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every JDK has SHA-1", e);
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
