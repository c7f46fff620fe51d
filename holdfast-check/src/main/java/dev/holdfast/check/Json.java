package dev.holdfast.check;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads JSON into maps, lists, text, numbers (as text), booleans and null. */
final class Json {

    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    /** @throws IllegalArgumentException if the text is no JSON */
    static @Nullable Object parse(String text) {
        Json json = new Json(text);
        Object value = json.value();
        json.space();
        if (json.at < text.length()) {
            throw json.unexpected();
        }
        return value;
    }

    private @Nullable Object value() {
        space();
        switch (peek()) {
            case '{' -> {
                return object();
            }
            case '[' -> {
                return list();
            }
            case '"' -> {
                return string();
            }
            default -> {
                String word = word();
                return switch (word) {
                    case "true" -> true;
                    case "false" -> false;
                    case "null" -> null;
                    default -> number(word);
                };
            }
        }
    }

    private Map<String, @Nullable Object> object() {
        Map<String, @Nullable Object> object = new LinkedHashMap<>();
        at++;
        space();
        for (boolean first = true; peek() != '}'; first = false) {
            if (!first) {
                expect(',');
                space();
            }
            String name = string();
            space();
            expect(':');
            object.put(name, value());
            space();
        }
        at++;
        return object;
    }

    private List<@Nullable Object> list() {
        List<@Nullable Object> list = new ArrayList<>();
        at++;
        space();
        for (boolean first = true; peek() != ']'; first = false) {
            if (!first) {
                expect(',');
            }
            list.add(value());
            space();
        }
        at++;
        return list;
    }

    private String string() {
        expect('"');
        StringBuilder string = new StringBuilder();
        for (char next = take(); next != '"'; next = take()) {
            string.append(next == '\\' ? escaped() : next);
        }
        return string.toString();
    }

    private char escaped() {
        char next = take();
        return switch (next) {
            case 'n' -> '\n';
            case 't' -> '\t';
            case 'r' -> '\r';
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'u' -> {
                at += 4;
                if (at > text.length()) {
                    throw unexpected();
                }
                yield (char) Integer.parseInt(text.substring(at - 4, at), 16);
            }
            default -> next;
        };
    }

    private String word() {
        int begin = at;
        while (at < text.length()
                && (Character.isLetterOrDigit(text.charAt(at)) || "+-.".indexOf(text.charAt(at)) >= 0)) {
            at++;
        }
        return text.substring(begin, at);
    }

    private String number(String word) {
        if (!word.matches("-?\\d+(\\.\\d+)?([eE][+-]?\\d+)?")) {
            throw unexpected();
        }
        return word;
    }

    private void space() {
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
    }

    private char peek() {
        if (at >= text.length()) {
            throw unexpected();
        }
        return text.charAt(at);
    }

    private char take() {
        char next = peek();
        at++;
        return next;
    }

    private void expect(char wanted) {
        if (take() != wanted) {
            at--;
            throw unexpected();
        }
    }

    private IllegalArgumentException unexpected() {
        return new IllegalArgumentException("no JSON at character " + at);
    }
}
