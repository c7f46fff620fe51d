package dev.holdfast.lock.testing;

import io.lettuce.core.RedisURI;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Where Redis comes from, decided once for the JVM, in this order:
 *
 * <ol>
 *   <li>{@code -Dredis.image=…}: containers of that image, by Testcontainers, where a Docker engine answers (Linux: they
 *       share the host's network);
 *   <li>{@code -Dredis.server.binary=…} or the environment's {@code REDIS_SERVER_BINARY}: that binary;
 *   <li>the binary in the jar {@code org.signal:embedded-redis}: the default;
 *   <li>the environment's {@code REDIS_URI}: a server that is already there. It is only good for tests that neither break
 *       it nor empty it, and it comes last because the variable may well name something dear to its owner.
 * </ol>
 *
 * <p>The first two are asked for by name. If such a way fails, the tests fail: they would be green for a server that they
 * never saw.
 */
record RedisSource(@Nullable Launcher launcher, @Nullable RedisURI existing) {

    /** The image to run, if one is asked for. */
    static final String IMAGE = "redis.image";

    static final String BINARY = "redis.server.binary";

    static RedisSource decided() {
        return Decision.MADE;
    }

    static RedisSource decide(
            @Nullable String image, @Nullable String binary, @Nullable String existing, Embedded embedded) {
        if (image != null) {
            return new RedisSource(ImageLauncher.of(image), null);
        }
        if (binary != null) {
            return new RedisSource(named(Path.of(binary)), null);
        }
        String whyNotEmbedded;
        try {
            return new RedisSource(
                    new BinaryLauncher(embedded.unpacked(), EmbeddedBinary.name() + " of embedded-redis"), null);
        } catch (IOException | UnsupportedOperationException e) {
            whyNotEmbedded = e.toString();
        }
        if (existing != null) {
            return new RedisSource(null, RedisURI.create(existing));
        }
        throw new IllegalStateException("No Redis for the tests. Tried: "
                + "(1) -Dredis.image: not set; "
                + "(2) -Dredis.server.binary and REDIS_SERVER_BINARY: not set; "
                + "(3) the embedded binary: " + whyNotEmbedded + "; "
                + "(4) REDIS_URI: not set. "
                + "Install redis-server and name it with -Dredis.server.binary=/path/to/redis-server; or start Docker and "
                + "pass -Dredis.image=redis:7.2-alpine; on Windows, run the build in WSL.");
    }

    Launcher launcherOrFail() {
        if (launcher == null) {
            throw new IllegalStateException("This test starts or breaks servers of its own and cannot use the one that "
                    + "REDIS_URI names. Name a redis-server binary with -Dredis.server.binary=…, or pass -Dredis.image=… "
                    + "where Docker runs.");
        }
        return launcher;
    }

    private static Launcher named(Path binary) {
        if (!Files.isExecutable(binary)) {
            throw new IllegalStateException(
                    "'" + binary + "', named by -Dredis.server.binary or REDIS_SERVER_BINARY, is "
                            + "not an executable file. Correct the path, or unset it to use the embedded server.");
        }
        return new BinaryLauncher(binary.toAbsolutePath(), binary.toString());
    }

    /** A holder class, so that the decision is made when the first test asks and not when a class is loaded. */
    private static final class Decision {

        static final RedisSource MADE = decide(
                System.getProperty(IMAGE),
                System.getProperty(BINARY, System.getenv("REDIS_SERVER_BINARY")),
                System.getenv("REDIS_URI"),
                EmbeddedBinary::unpacked);
    }

    /** Where the default comes from. */
    interface Embedded {
        Path unpacked() throws IOException;
    }
}
