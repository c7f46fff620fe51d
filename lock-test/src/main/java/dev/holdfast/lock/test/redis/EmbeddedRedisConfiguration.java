package dev.holdfast.lock.test.redis;

import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Provides the connection details that a service connection would contribute. */
@Configuration(proxyBeanMethods = false)
class EmbeddedRedisConfiguration {

    @Bean
    DataRedisConnectionDetails holdfastEmbeddedRedis() {
        return new DataRedisConnectionDetails() {
            @Override
            public Standalone getStandalone() {
                EmbeddedRedisServer server = EmbeddedRedisServer.shared();
                return Standalone.of(server.host(), server.port());
            }
        };
    }
}
