package dev.holdfast.lock.test.lua;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Splits a script into tokens. */
public final class LuaLexer {

    /** The kind of a token. */
    public enum Kind {
        NAME,
        KEYWORD,
        NUMBER,
        STRING,
        SYMBOL,
        END
    }

    /**
     * A token.
     *
     * @param text what the token means: a string without its quotes
     * @param start the position of its first character
     * @param end the position behind its last character
     */
    public record Token(Kind kind, String text, int line, int start, int end) {}

    private static final Set<String> KEYWORDS = Set.of(
            "and",
            "break",
            "do",
            "else",
            "elseif",
            "end",
            "false",
            "for",
            "function",
            "if",
            "in",
            "local",
            "nil",
            "not",
            "or",
            "repeat",
            "return",
            "then",
            "true",
            "until",
            "while");

    private static final Pattern WORD = Pattern.compile("(?<space>\\s+|--[^\\n]*)"
            + "|(?<name>[A-Za-z_]\\w*)"
            + "|(?<number>\\d+(?:\\.\\d+)?)"
            + "|(?<string>'(?:[^'\\\\\\n]|\\\\.)*'|\"(?:[^\"\\\\\\n]|\\\\.)*\")"
            + "|(?<symbol>\\.\\.|==|~=|<=|>=|[-+*/%#<>=(){}\\[\\];,.])");

    private LuaLexer() {}

    /** Returns all tokens. The last one is {@link Kind#END}. */
    public static List<Token> tokens(String script) {
        List<Token> tokens = new ArrayList<>();
        Matcher word = WORD.matcher(script);
        int line = 1;
        int at = 0;
        while (at < script.length()) {
            if (!word.region(at, script.length()).lookingAt()) {
                throw new LuaException("line " + line + ": cannot read "
                        + script.substring(at).lines().findFirst());
            }
            at = word.end();
            if (word.group("space") == null) {
                tokens.add(token(word, line));
            }
            line += (int) word.group().chars().filter(c -> c == '\n').count();
        }
        tokens.add(new Token(Kind.END, "the end", line, at, at));
        return tokens;
    }

    private static Token token(Matcher word, int line) {
        String text = word.group();
        if (word.group("name") != null) {
            return token(KEYWORDS.contains(text) ? Kind.KEYWORD : Kind.NAME, text, word, line);
        }
        if (word.group("number") != null) {
            return token(Kind.NUMBER, text, word, line);
        }
        return word.group("string") == null
                ? token(Kind.SYMBOL, text, word, line)
                : token(Kind.STRING, unescaped(text.substring(1, text.length() - 1)), word, line);
    }

    private static Token token(Kind kind, String text, Matcher word, int line) {
        return new Token(kind, text, line, word.start(), word.end());
    }

    private static String unescaped(String text) {
        return text.replace("\\n", "\n")
                .replace("\\'", "'")
                .replace("\\\"", "\"")
                .replace("\\\\", "\\");
    }
}
