package dev.holdfast.lock.testing;

import io.lettuce.core.RedisURI;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Holds the one plain server of this JVM. */
final class SharedServer {

    private static @Nullable RedisServer instance;

    private SharedServer() {}

    static synchronized RedisServer get() {
        if (instance == null) {
            RedisURI existing = RedisSource.decided().existing();
            RedisServer server = existing == null ? ServerStart.plain(List.of()) : new RedisServer(existing, null);
            server.version();
            // Test reports have to name the server they are about.
            System.getLogger(RedisServer.class.getName())
                    .log(System.Logger.Level.INFO, "Tests run against {0}", server);
            instance = server;
        }
        return instance;
    }

    static synchronized boolean is(RedisServer server) {
        return server == instance;
    }
}
