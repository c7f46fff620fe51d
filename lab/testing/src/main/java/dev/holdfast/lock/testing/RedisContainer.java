package dev.holdfast.lock.testing;

import java.util.List;
import java.util.Optional;

/**
 * A server from a container image, started by Testcontainers: for the versions of Redis that the embedded binary is not.
 * The image is the one that {@code -Dredis.image} names, else {@value #DEFAULT_IMAGE}.
 */
public final class RedisContainer {

    public static final String DEFAULT_IMAGE = "redis:7.2-alpine";

    private RedisContainer() {}

    public static String image() {
        return System.getProperty(RedisSource.IMAGE, DEFAULT_IMAGE);
    }

    /** Why no container can be started here, for the message of a skipped test; empty if one can. */
    public static Optional<String> whyNot() {
        return DockerEngine.whyNot(image());
    }

    /** Starts a container with these lines of a redis.conf. Ask {@link #whyNot()} first. */
    public static RedisServer start(String... confLines) {
        List<String> lines = List.of(confLines);
        return ServerStart.start(ImageLauncher.of(image()), (port, folder) -> lines, List.of());
    }
}
