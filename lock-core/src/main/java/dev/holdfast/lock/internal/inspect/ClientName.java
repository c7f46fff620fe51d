package dev.holdfast.lock.internal.inspect;

import dev.holdfast.lock.LogText;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A client's name: given, or made of its host and process. */
public final class ClientName {

    private static final int MOST_BYTES = 200;
    private static final int LONGEST_HOST = 150;
    private static final Path LINUX_HOST_NAME = Path.of("/proc/sys/kernel/hostname");

    private ClientName() {}

    /** Returns the name if it fits into one log line. */
    public static String check(@Nullable String name) {
        if (name == null || name.isBlank()) {
            throw new IllegalArgumentException("'clientName' must not be " + (name == null ? "null" : "blank"));
        }
        int bytes = bytes(name);
        if (bytes > MOST_BYTES) {
            throw new IllegalArgumentException(
                    "'clientName' must be 1 to " + MOST_BYTES + " bytes of UTF-8, was " + bytes);
        }
        String escaped = LogText.escape(name);
        if (!escaped.equals(name)) {
            throw new IllegalArgumentException(
                    "'clientName' must have no control characters, line breaks or backslashes, was '" + escaped + "'");
        }
        return name;
    }

    /** An application's process. Of the application's name, which was not made for this, as much as fits. */
    public static String ofThisProcess(String application) {
        String process = ofThisProcess();
        String fitting = fitting(application.strip(), MOST_BYTES - 1 - bytes(process));
        return fitting.isEmpty() ? process : fitting + "@" + process;
    }

    private static String fitting(String text, int mostBytes) {
        StringBuilder fitting = new StringBuilder();
        int room = mostBytes;
        for (int codePoint : text.codePoints().toArray()) {
            String character = Character.toString(codePoint);
            room -= bytes(character);
            if (room < 0) {
                break;
            }
            fitting.append(LogText.escape(character).equals(character) ? character : "?");
        }
        return fitting.toString();
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    public static String ofThisProcess() {
        String host = host().strip();
        String plain = host.isEmpty() || !LogText.escape(host).equals(host) ? "unknown-host" : host;
        return plain.substring(0, Math.min(plain.length(), LONGEST_HOST)) + ":"
                + ProcessHandle.current().pid();
    }

    /** The ways that ask no name server come first: a building client must not hang. */
    private static String host() {
        String given = System.getenv("HOSTNAME");
        if (given == null) {
            given = System.getenv("COMPUTERNAME");
        }
        if (given != null) {
            return given;
        }
        try {
            return Files.exists(LINUX_HOST_NAME)
                    ? Files.readString(LINUX_HOST_NAME)
                    : InetAddress.getLocalHost().getHostName();
        } catch (IOException unknown) {
            return "";
        }
    }
}
