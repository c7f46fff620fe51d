package dev.holdfast.lock.test.lua;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/** Translates Lua's patterns to regular expressions. */
final class LuaPatterns {

    private static final Map<String, Pattern> COMPILED = new ConcurrentHashMap<>();
    private static final String PLAIN_IN_LUA = "{}|\\";

    private LuaPatterns() {}

    static Pattern compile(String pattern) {
        return COMPILED.computeIfAbsent(pattern, LuaPatterns::translate);
    }

    private static Pattern translate(String pattern) {
        StringBuilder regex = new StringBuilder();
        boolean inSet = false;
        for (int i = 0; i < pattern.length(); i++) {
            char c = pattern.charAt(i);
            if (c == '%') {
                i++;
                regex.append(escaped(pattern, i));
            } else if (c == '-' && !inSet) {
                regex.append("*?");
            } else if (PLAIN_IN_LUA.indexOf(c) >= 0) {
                regex.append('\\').append(c);
            } else {
                inSet = c == '[' || (inSet && c != ']');
                regex.append(c);
            }
        }
        return Pattern.compile(regex.toString());
    }

    private static String escaped(String pattern, int at) {
        if (at == pattern.length()) {
            throw new LuaException("malformed pattern " + pattern);
        }
        char c = pattern.charAt(at);
        if (c == 'd' || c == 's' || c == 'w') {
            return "\\" + c;
        }
        if (c == 'x') {
            return "\\p{XDigit}";
        }
        if (Character.isLetterOrDigit(c)) {
            throw new LuaException("%" + c + " is not there in patterns: " + pattern);
        }
        return "\\" + c;
    }
}
