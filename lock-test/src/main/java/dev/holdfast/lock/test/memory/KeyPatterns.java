package dev.holdfast.lock.test.memory;

import java.util.regex.Pattern;

/** The patterns of Redis for keys, as regular expressions: {@code *}, {@code ?}, {@code [a-z]}, {@code [^a]}, and a backslash before a character. */
final class KeyPatterns {

    private KeyPatterns() {}

    static Pattern compile(String pattern) {
        StringBuilder regex = new StringBuilder();
        for (int i = 0; i < pattern.length(); i++) {
            char c = pattern.charAt(i);
            int end = c == '[' ? pattern.indexOf(']', i + 1) : -1;
            if (c == '*' || c == '?') {
                regex.append(c == '*' ? ".*" : ".");
            } else if (end > i + 1) {
                regex.append('[').append(pattern, i + 1, end).append(']');
                i = end;
            } else {
                boolean isEscaped = c == '\\' && i + 1 < pattern.length();
                i += isEscaped ? 1 : 0;
                regex.append(Pattern.quote(String.valueOf(pattern.charAt(i))));
            }
        }
        return Pattern.compile(regex.toString(), Pattern.DOTALL);
    }
}
