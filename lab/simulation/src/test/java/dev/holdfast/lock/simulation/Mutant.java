package dev.holdfast.lock.simulation;

import dev.holdfast.lock.internal.connection.Script;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A fault that was put in.
 *
 * @param name what is wrong
 * @param file a script or a part of scripts, such as {@code release.lua}, or a source, such as {@code internal/lease/Grant.java}
 * @param text what stands there once
 * @param replacement what stands there instead
 * @param focus what the plans are full of that find it; null for ordinary plans
 */
record Mutant(
        String name,
        String file,
        String text,
        String replacement,
        @Nullable Focus focus) {

    private static final Path MAIN = Path.of("../../lock-core/src/main");

    private static final String INCLUDES = "(?m)^ *--#include .*\n";

    /** The folder of the scripts' sources. */
    static final Path SCRIPTS = MAIN.resolve("lua");

    Mutant(String name, String file, String text, String replacement) {
        this(name, file, text, replacement, null);
    }

    boolean isScript() {
        return file.endsWith(".lua");
    }

    /** The name of the class that is changed, if it is a source. */
    String className() {
        return "dev.holdfast.lock." + file.replace(".java", "").replace('/', '.');
    }

    private String original() {
        return read((isScript() ? SCRIPTS : MAIN.resolve("java/dev/holdfast/lock")).resolve(file));
    }

    static String read(Path source) {
        try {
            return Files.readString(source);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The whole file with the fault in it. */
    String changed() {
        String whole = original();
        int at = whole.indexOf(text);
        if (at < 0 || whole.indexOf(text, at + 1) >= 0) {
            throw new IllegalArgumentException(this + ": its text must stand there once");
        }
        return whole.replace(text, replacement);
    }

    /** The whole file with the fault in it, and with a mark at its place. */
    String marked() {
        String original = original();
        String changed = changed();
        int place = 0;
        while (place < changed.length()
                && place < original.length()
                && changed.charAt(place) == original.charAt(place)) {
            place++;
        }
        return isScript()
                ? new LuaSource(changed).before(place, Marks.IN_SCRIPT)
                : new JavaSource(changed).before(place, Marks.IN_SOURCE);
    }

    /** Puts the fault and its mark into scripts of which the file is a part. It changes each script once, because a run has thousands of calls. */
    UnaryOperator<Script> change() {
        return change(marked());
    }

    /** Puts the fault into scripts, without the mark. */
    UnaryOperator<Script> unmarkedChange() {
        return change(changed());
    }

    private UnaryOperator<Script> change(String file) {
        Map<Script, Script> known = new HashMap<>();
        String[] before = original().split(INCLUDES);
        String[] after = file.split(INCLUDES);
        return script -> known.computeIfAbsent(script, one -> changed(one, before, after));
    }

    private static Script changed(Script script, String[] before, String[] after) {
        String changed = script.text();
        for (int i = 0; i < before.length; i++) {
            if (!before[i].equals(after[i])) {
                changed = changed.replace(sent(before[i]), sent(after[i]));
            }
        }
        return changed.equals(script.text()) ? script : Script.of(script.name(), changed);
    }

    /** Returns a part of a source as it is sent: without comments. */
    private static String sent(String part) {
        return part.replaceAll("(?m)^ *(--.*)?\n", "");
    }

    @Override
    public String toString() {
        return name + " (" + file + ")";
    }
}
