package dev.holdfast.lock.internal.inspect;

import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a server says about itself in INFO. Valkey gives the version of Redis that it is compatible with as {@code redis_version}, its own beside
 * that, and calls {@code redis_mode} {@code server_mode}.
 */
public record ServerDescription(Map<String, String> fields) {

    private static final Pattern FIELD = Pattern.compile("(?m)^(\\w+):(.*?)\\r?$");
    private static final Pattern VERSION = Pattern.compile("(\\d+)\\.(\\d+).*");
    private static final int FLOOR_MAJOR = 6;
    private static final int FLOOR_MINOR = 2;
    private static final String UNKNOWN = "unknown";

    public static ServerDescription parse(String info) {
        Map<String, String> fields = new HashMap<>();
        Matcher field = FIELD.matcher(info);
        while (field.find()) {
            fields.put(field.group(1), field.group(2));
        }
        return new ServerDescription(Map.copyOf(fields));
    }

    public String product() {
        return isValkey() ? "Valkey" : "Redis";
    }

    private boolean isValkey() {
        return fields.containsKey("valkey_version");
    }

    public String version() {
        return fields.getOrDefault("valkey_version", redisVersion());
    }

    private String redisVersion() {
        return fields.getOrDefault("redis_version", UNKNOWN);
    }

    public String mode() {
        return fields.getOrDefault("redis_mode", fields.getOrDefault("server_mode", UNKNOWN));
    }

    public String evictionPolicy() {
        return fields.getOrDefault("maxmemory_policy", "noeviction");
    }

    /** Whether it is older than the first version that has all that locks need. Valkey began later than that. */
    public boolean isTooOld() {
        Matcher numbers = VERSION.matcher(redisVersion());
        if (!numbers.matches()) {
            return false;
        }
        int major = Integer.parseInt(numbers.group(1));
        return major < FLOOR_MAJOR || (major == FLOOR_MAJOR && Integer.parseInt(numbers.group(2)) < FLOOR_MINOR);
    }
}
