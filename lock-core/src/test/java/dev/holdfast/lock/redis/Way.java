package dev.holdfast.lock.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;

/** The two ways to the same Redis: by a Lettuce client of our own, or by an application's with all of Lettuce's defaults, which resend. */
enum Way {
    OWN_CLIENT,
    APPLICATIONS_CLIENT;

    /** A way that was opened: closed after the lock client that uses it. */
    record Opened(RedisSource source, Runnable closing) implements AutoCloseable {
        @Override
        public void close() {
            closing.run();
        }
    }

    Opened to(RedisURI uri) {
        if (this == OWN_CLIENT) {
            return new Opened(RedisSource.of(uri), () -> {});
        }
        RedisClient application = RedisClient.create(uri);
        return new Opened(RedisSource.of(application), application::shutdown);
    }
}
