package dev.holdfast.lock.internal.connection;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A Lua script. The server identifies it by its SHA-1 digest in lower-case hexadecimal digits. A script reads its file at its first use, because all
 * scripts together are 244 KB, and their digests take CPU time of an application's start.
 */
public final class Script {

    private final String name;
    private final Supplier<String> source;
    private volatile @Nullable String text;
    private volatile @Nullable String sha;

    private Script(String name, Supplier<String> source) {
        this.name = name;
        this.source = source;
    }

    /** Returns a script of the folder {@code lua} next to the given class, where the build has assembled it. The file is sent to Redis unchanged. */
    public static Script load(Class<?> neighbor, String name) {
        return new Script(name, () -> read(neighbor, name));
    }

    /** Returns a script with this text. */
    public static Script of(String name, String text) {
        return new Script(name, () -> text);
    }

    private static String read(Class<?> neighbor, String name) {
        try (InputStream file = neighbor.getResourceAsStream("lua/" + name + ".lua")) {
            if (file == null) {
                throw new IllegalStateException("The script lua/" + name + ".lua is missing beside " + neighbor);
            }
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public String name() {
        return name;
    }

    public String text() {
        String read = text;
        if (read == null) {
            read = source.get();
            text = read;
        }
        return read;
    }

    public String sha() {
        String digest = sha;
        if (digest == null) {
            digest = sha1(text().getBytes(StandardCharsets.UTF_8));
            sha = digest;
        }
        return digest;
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
