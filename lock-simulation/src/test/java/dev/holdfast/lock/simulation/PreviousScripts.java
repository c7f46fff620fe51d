package dev.holdfast.lock.simulation;

import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.simulation.SimulatedServer.Execution;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The scripts of an earlier version of the library, from the folder {@code previous}, with that version's arguments and answers. What they write is
 * what fleets of two versions share. The files are never changed: a change of the format in Redis would need another version of it.
 */
final class PreviousScripts {

    private static final Pattern HEAD = Pattern.compile("^-- Begins with (\\S+)\\.lua", Pattern.MULTILINE);
    private static final Map<String, Script> SCRIPTS = new ConcurrentHashMap<>();

    private PreviousScripts() {}

    /** Does what a present script is asked for as the earlier version did it, and answers as the present script. */
    static List<Object> run(Script present, List<String> keys, List<String> args, Execution execution) {
        return switch (present.name()) {
            case "rw-renew" -> renewed(keys, args, execution);
            default -> execution.run(script(present.name()), keys, args);
        };
    }

    /** The earlier version noted a longer lease of a reader or writer only in a script for one of them. */
    private static List<Object> renewed(List<String> keys, List<String> args, Execution execution) {
        List<Object> answers = new ArrayList<>();
        for (int i = 0; i < keys.size(); i += 2) {
            answers.addAll(execution.run(script("rw-extend"), keys.subList(i, i + 2), args.subList(i, i + 2)));
        }
        return answers;
    }

    private static Script script(String name) {
        return SCRIPTS.computeIfAbsent(name, key -> {
            Map<String, String> files = new LinkedHashMap<>();
            read(name, files);
            return new Script("previous " + name, String.join("", files.values()), "");
        });
    }

    /** The files that a file says it begins with, then the file; each once. */
    private static void read(String name, Map<String, String> files) {
        try (InputStream file = PreviousScripts.class.getResourceAsStream("previous/" + name + ".lua")) {
            String text = new String(Objects.requireNonNull(file, name).readAllBytes(), StandardCharsets.UTF_8);
            Matcher head = HEAD.matcher(text);
            while (head.find()) {
                if (!files.containsKey(head.group(1))) {
                    read(head.group(1), files);
                }
            }
            files.put(name, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
