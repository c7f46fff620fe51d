package dev.holdfast.lock.internal.inspect;

import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The server's description of itself in INFO. Valkey returns the version of Redis with which it is compatible as {@code redis_version}, and its own
 * version in another field. It also renames {@code redis_mode} to {@code server_mode}.
 */
record ServerDescription(
        String product, String version, String mode, String replicationId, String evictionPolicy, boolean isTooOld) {

    private static final Pattern VERSION = Pattern.compile("(\\d+)\\.(\\d+).*");
    private static final int FLOOR_MAJOR = 6;
    private static final int FLOOR_MINOR = 2;
    private static final String UNKNOWN = "unknown";

    static ServerDescription parse(String info) {
        Map<String, String> fields = new HashMap<>();
        for (String line : info.split("\r?\n", -1)) {
            int colon = line.indexOf(':');
            if (colon > 0) {
                fields.put(line.substring(0, colon), line.substring(colon + 1));
            }
        }
        String redisVersion = fields.getOrDefault("redis_version", UNKNOWN);
        return new ServerDescription(
                fields.containsKey("valkey_version") ? "Valkey" : "Redis",
                fields.getOrDefault("valkey_version", redisVersion),
                fields.getOrDefault("redis_mode", fields.getOrDefault("server_mode", UNKNOWN)),
                fields.getOrDefault("master_replid", ""),
                fields.getOrDefault("maxmemory_policy", "noeviction"),
                isTooOld(redisVersion));
    }

    /** Returns whether the server is older than the first version with all features that locks need. All versions of Valkey are newer than that. */
    private static boolean isTooOld(String redisVersion) {
        Matcher numbers = VERSION.matcher(redisVersion);
        if (!numbers.matches()) {
            return false;
        }
        int major = Integer.parseInt(numbers.group(1));
        return major < FLOOR_MAJOR || (major == FLOOR_MAJOR && Integer.parseInt(numbers.group(2)) < FLOOR_MINOR);
    }
}
