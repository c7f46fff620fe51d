package dev.holdfast.check;

import io.lettuce.core.RedisURI;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The addresses of Redis for a worker, written as one word of a command line. */
public record Address(Shape shape, List<Integer> ports) {

    public enum Shape {
        SERVER,
        SENTINELS,
        CLUSTER,
        /** Several independent servers. */
        QUORUM
    }

    static final String MASTER = "holdfast";

    static Address parse(String word) {
        int colon = word.indexOf(':');
        return new Address(
                Shape.valueOf(word.substring(0, colon).toUpperCase(Locale.ROOT)),
                Arrays.stream(word.substring(colon + 1).split(",", -1))
                        .map(Integer::valueOf)
                        .toList());
    }

    RedisURI uri(int index) {
        RedisURI uri = RedisURI.create("127.0.0.1", ports.get(index));
        WorkerSettings.PRESENT.logIn(uri);
        return uri;
    }

    List<RedisURI> uris() {
        return ports.stream().map(port -> RedisURI.create("127.0.0.1", port)).toList();
    }

    RedisURI sentinels() {
        RedisURI.Builder uri = RedisURI.Builder.sentinel("127.0.0.1", ports.get(0), MASTER);
        ports.stream().skip(1).forEach(port -> uri.withSentinel("127.0.0.1", port));
        return uri.build();
    }

    @Override
    public String toString() {
        return shape.name().toLowerCase(Locale.ROOT) + ":"
                + ports.stream().map(String::valueOf).collect(Collectors.joining(","));
    }
}
