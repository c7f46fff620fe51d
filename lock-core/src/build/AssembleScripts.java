import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Writes each script as Redis runs it, and its digest, so that no application computes it at its start. Replaces each line {@code --#include NAME} with
 * the file {@code lib/NAME.lua}, once in a script, or once in a block if the line is in one: Redis makes the functions of a script anew for each call,
 * and those in a block only where it is reached. Comments stay behind, except for a first line that names the script: without them, a jar and what
 * Redis is sent are half as large. The build runs this file with {@code java AssembleScripts.java SOURCES TARGET}.
 */
final class AssembleScripts {

    private static final String INCLUDE = "--#include ";

    private final Path sources;
    private final StringBuilder text;
    private final Set<String> included = new HashSet<>();

    private AssembleScripts(Path sources, String name) {
        this.sources = sources;
        this.text = new StringBuilder("-- holdfast ").append(name).append('\n');
        append(sources.resolve(name + ".lua"));
    }

    public static void main(String[] args) throws IOException, NoSuchAlgorithmException {
        Path sources = Path.of(args[0]);
        Path target = Files.createDirectories(Path.of(args[1]));
        Set<String> names = scripts(sources);
        for (String name : names) {
            String text = new AssembleScripts(sources, name).text.toString();
            Files.writeString(target.resolve(name + ".lua"), text);
            Files.writeString(target.resolve(name + ".sha1"), sha1(text));
        }
        for (String name : scripts(target)) {
            if (!names.contains(name)) {
                Files.delete(target.resolve(name + ".lua"));
                Files.deleteIfExists(target.resolve(name + ".sha1"));
            }
        }
    }

    private static String sha1(String text) throws NoSuchAlgorithmException {
        byte[] digest = MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().formatHex(digest);
    }

    private static Set<String> scripts(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".lua"))
                    .map(name -> name.substring(0, name.length() - ".lua".length()))
                    .collect(Collectors.toSet());
        }
    }

    private void append(Path file) {
        for (String line : lines(file)) {
            String code = line.stripLeading();
            if (code.startsWith(INCLUDE)) {
                Set<String> before = Set.copyOf(included);
                if (included.add(code)) {
                    append(sources.resolve("lib").resolve(code.substring(INCLUDE.length()) + ".lua"));
                }
                if (!code.equals(line)) {
                    // What a block defines ends with the block.
                    included.retainAll(before);
                }
            } else if (!code.isEmpty() && !code.startsWith("--")) {
                text.append(line).append('\n');
            }
        }
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
