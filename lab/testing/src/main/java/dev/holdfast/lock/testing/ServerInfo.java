package dev.holdfast.lock.testing;

import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** An answer to INFO, read. */
record ServerInfo(Map<String, String> fields) {

    private static final Pattern LINE = Pattern.compile("(?m)^([^#:\\r\\n]+):([^\\r\\n]*)");
    private static final String STATS = "cmdstat_";

    static ServerInfo of(String info) {
        return new ServerInfo(LINE.matcher(info)
                .results()
                .collect(Collectors.toMap(
                        line -> line.group(1), (MatchResult line) -> line.group(2), (a, b) -> b, TreeMap::new)));
    }

    String get(String field) {
        return fields.getOrDefault(field, "");
    }

    int number(String field) {
        String value = get(field);
        return value.isEmpty() ? 0 : Integer.parseInt(value);
    }

    /** A Valkey server reports the Redis version it is compatible with, too. */
    String product() {
        String valkey = get("valkey_version");
        return valkey.isEmpty() ? "Redis " + get("redis_version") : "Valkey " + valkey;
    }

    /** {@code cmdstat_client|kill:calls=3,usec=9,…} read as {@code client|kill=3}. */
    Map<String, Long> commandCalls() {
        Map<String, Long> calls = new TreeMap<>();
        fields.forEach((field, value) -> {
            if (field.startsWith(STATS) && value.startsWith("calls=")) {
                calls.put(
                        field.substring(STATS.length()),
                        Long.parseLong(value.substring("calls=".length(), value.indexOf(','))));
            }
        });
        return calls;
    }
}
