package dev.holdfast.lock.internal.connection;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A Lua script. The server knows it by its SHA-1, in lower-case hex. */
public record Script(String name, String text, String sha) {

    /** Scripts share heads, which are sent with each of them: in Redis no script can call another. */
    private static final Pattern HEAD = Pattern.compile("^-- Begins with (\\S+)\\.lua", Pattern.MULTILINE);

    /** Reads a script from the folder {@code lua} beside a class, after the head that it says it begins with. */
    public static Script load(Class<?> neighbour, String name) {
        Map<String, String> files = new LinkedHashMap<>();
        read(neighbour, name, files);
        String text = String.join("", files.values());
        return new Script(name, text, sha1(text));
    }

    /** Adds the heads of a file, then the file; each once. */
    private static void read(Class<?> neighbour, String name, Map<String, String> files) {
        try (InputStream file = neighbour.getResourceAsStream("lua/" + name + ".lua")) {
            if (file == null) {
                throw new IllegalStateException("The script lua/" + name + ".lua is missing beside " + neighbour);
            }
            String text = new String(file.readAllBytes(), StandardCharsets.UTF_8);
            Matcher head = HEAD.matcher(text);
            while (head.find()) {
                if (!files.containsKey(head.group(1))) {
                    read(neighbour, head.group(1), files);
                }
            }
            files.put(name, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String sha1(String text) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-1");
            return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every JDK has SHA-1", e);
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
