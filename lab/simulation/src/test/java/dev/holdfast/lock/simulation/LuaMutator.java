package dev.holdfast.lock.simulation;

import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.simulation.LuaSource.Call;
import dev.holdfast.lock.simulation.LuaSource.Kind;
import dev.holdfast.lock.simulation.LuaSource.Span;
import dev.holdfast.lock.simulation.LuaSource.Statement;
import dev.holdfast.lock.test.lua.LuaException;
import dev.holdfast.lock.test.lua.LuaLexer;
import dev.holdfast.lock.test.lua.LuaLexer.Token;
import dev.holdfast.lock.test.lua.LuaScript;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * Makes faults of the scripts: leaves out each statement, each branch, each value and each pair of a write, negates each condition, moves each
 * comparison and number, and swaps operators and arguments.
 */
final class LuaMutator {

    private static final Map<String, String> OTHERS = Map.ofEntries(
            Map.entry("<", "<="),
            Map.entry("<=", "<"),
            Map.entry(">", ">="),
            Map.entry(">=", ">"),
            Map.entry("==", "~="),
            Map.entry("~=", "=="),
            Map.entry("and", "or"),
            Map.entry("or", "and"),
            Map.entry("+", "-"),
            Map.entry("-", "+"),
            Map.entry("true", "false"),
            Map.entry("false", "true"));
    private static final Set<String> REDIS = Set.of("redis.call", "redis.pcall");
    /** The order of their arguments does not matter. */
    private static final Set<String> OF_ANY_ORDER = Set.of("math.max", "math.min");

    private static final String INCLUDE = "--#include";

    /** Greater numbers are times or limits. One more or less of them is no fault, so they are doubled and halved. */
    private static final double SMALL = 16;

    private final String file;
    private final LuaSource source;
    private final List<Mutant> mutants = new ArrayList<>();

    private LuaMutator(String file, LuaSource source) {
        this.file = file;
        this.source = source;
    }

    /** Draws so many faults of all scripts that can be read. */
    static List<Mutant> draw(long seed, int count) {
        List<Script> scripts = scripts();
        List<Mutant> all = new ArrayList<>(all());
        Collections.shuffle(all, new Random(seed));
        return all.stream()
                .filter(mutant -> isReadable(mutant, scripts))
                .limit(count)
                .toList();
    }

    /** Returns all faults. Some of them cannot be read by Redis. */
    static List<Mutant> all() {
        try (Stream<Path> files = Files.walk(Mutant.SCRIPTS)) {
            return files.filter(file -> file.toString().endsWith(".lua"))
                    .map(file -> Mutant.SCRIPTS.relativize(file).toString())
                    .sorted()
                    .flatMap(file -> of(file).stream())
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static List<Mutant> of(String file) {
        LuaMutator mutator = new LuaMutator(file, new LuaSource(Mutant.read(Mutant.SCRIPTS.resolve(file))));
        mutator.statements();
        mutator.conditions();
        mutator.words();
        mutator.calls();
        return mutator.mutants;
    }

    /** Returns the scripts as the product sends them. */
    static List<Script> scripts() {
        try (Stream<Path> files = Files.list(Mutant.SCRIPTS)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".lua"))
                    .sorted()
                    .map(name ->
                            Script.load(dev.holdfast.lock.internal.protocol.Scripts.class, name.replace(".lua", "")))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isReadable(Mutant mutant, List<Script> scripts) {
        UnaryOperator<Script> change = mutant.unmarkedChange();
        try {
            for (Script script : scripts) {
                Script changed = change.apply(script);
                if (changed != script) {
                    LuaScript.read(changed.text());
                }
            }
            return true;
        } catch (LuaException unreadable) {
            return false;
        }
    }

    private void statements() {
        for (Statement statement : source.statements) {
            Span span = statement.span();
            if (statement.kind() == Kind.LOCAL) {
                int equals = source.at(span).indexOf('=');
                String value = equals < 0
                        ? "nil"
                        : source.at(span).substring(equals + 1).strip();
                if (!value.equals("nil")) {
                    add(new Span(span.start() + equals, span.end()), "= nil");
                }
            } else if (statement.kind() != Kind.FUNCTION) {
                add(span, "");
            }
        }
    }

    private void conditions() {
        for (Span span : source.conditions) {
            add(span, "not (" + source.at(span) + ")");
            // A loop that has no end would not show what the fault does.
            if (source.text.substring(0, span.start()).endsWith("if ")) {
                add(span, "false");
            }
        }
    }

    private void words() {
        for (Token token : source.tokens) {
            Span span = new Span(token.start(), token.end());
            if (token.kind() == LuaLexer.Kind.SYMBOL || token.kind() == LuaLexer.Kind.KEYWORD) {
                String other = OTHERS.get(token.text());
                if (other != null) {
                    add(span, other);
                }
            } else if (token.kind() == LuaLexer.Kind.NUMBER) {
                double number = Double.parseDouble(token.text());
                moved(number).forEach(other -> add(span, other));
            } else if (source.at(span).matches("'\\d+'")) {
                moved(Double.parseDouble(token.text())).forEach(other -> add(span, "'" + other + "'"));
            }
        }
    }

    private static List<String> moved(double number) {
        if (number > SMALL) {
            return List.of(text(number * 2), text(Math.floor(number / 2)));
        }
        return number < 1 ? List.of(text(number + 1)) : List.of(text(number + 1), text(number - 1));
    }

    private static String text(double number) {
        return number == Math.rint(number) ? Long.toString((long) number) : Double.toString(number);
    }

    private void calls() {
        for (Call call : source.calls) {
            List<Span> arguments = call.arguments();
            boolean isRedis = REDIS.contains(source.at(call.name()));
            boolean isOfAnyOrder = OF_ANY_ORDER.contains(source.at(call.name()));
            for (int i = isRedis ? 1 : 0; !isOfAnyOrder && i + 1 < arguments.size(); i++) {
                Span one = arguments.get(i);
                Span next = arguments.get(i + 1);
                if (!source.at(one).equals(source.at(next))) {
                    String between = source.text.substring(one.end(), next.start());
                    add(new Span(one.start(), next.end()), source.at(next) + between + source.at(one));
                }
            }
            boolean hasPairs = isRedis && source.at(arguments.get(0)).equals("'hset'") && arguments.size() > 4;
            for (int i = 2; hasPairs && i + 1 < arguments.size(); i += 2) {
                // With the comma in front of them.
                add(new Span(arguments.get(i - 1).end(), arguments.get(i + 1).end()), "");
            }
        }
    }

    /** Adds a fault, with as many lines around it as make its text the only one in the file. */
    private void add(Span span, String replacement) {
        int start = source.text.lastIndexOf('\n', span.start() - 1) + 1;
        int end = endOfLine(span.end());
        String lines = source.text.substring(start, end);
        String changed =
                source.text.substring(start, span.start()) + replacement + source.text.substring(span.end(), end);
        String name = file + ": " + first(lines, changed) + " ⇒ " + first(changed, lines);
        while (source.text.indexOf(source.text.substring(start, end))
                != source.text.lastIndexOf(source.text.substring(start, end))) {
            if (start > 0) {
                start = source.text.lastIndexOf('\n', start - 2) + 1;
            } else {
                end = endOfLine(end);
            }
        }
        String text = source.text.substring(start, end);
        if (!text.contains(INCLUDE)) {
            String before = source.text.substring(start, span.start());
            mutants.add(new Mutant(name, file, text, before + replacement + source.text.substring(span.end(), end)));
        }
    }

    private int endOfLine(int from) {
        int end = source.text.indexOf('\n', from);
        return end < 0 ? source.text.length() : end + 1;
    }

    /** Returns the first line that differs. */
    private static String first(String text, String other) {
        String[] lines = text.split("\n");
        String[] others = other.split("\n");
        for (int i = 0; i < lines.length; i++) {
            if (i >= others.length || !lines[i].equals(others[i])) {
                return lines[i].strip();
            }
        }
        return "";
    }
}
