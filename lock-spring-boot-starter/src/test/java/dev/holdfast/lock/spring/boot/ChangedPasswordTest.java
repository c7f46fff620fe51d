package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import dev.holdfast.lock.testing.RedisServer.ClientType;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.boot.data.redis.autoconfigure.LettuceClientConfigurationBuilderCustomizer;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;
import reactor.core.publisher.Mono;

class ChangedPasswordTest {

    private static final Duration LIMIT = Await.PATIENCE;

    private volatile String known = "old";

    @Test
    void locksLogInWithWhatTheApplicationsProviderKnows() {
        try (RedisServer server = RedisServer.start("user shop on >old +@all ~* &*")) {
            Contexts.on(server)
                    .withPropertyValues("holdfast.watchdog-timeout=6s", "spring.data.redis.client-type=lettuce")
                    .withBean(LettuceClientConfigurationBuilderCustomizer.class, this::credentials)
                    .run(context -> {
                        LockClient locks = context.getBean(LockClient.class);
                        try (Lease lease = locks.getLock("held").acquire()) {
                            assertThat(server.cli().clientList()).contains("user=shop");

                            known = "new";
                            server.cli()
                                    .aclSetuser(
                                            "shop",
                                            AclSetuserArgs.Builder.resetpass().addPassword(known));
                            server.clientKill(ClientType.NORMAL);
                            server.clientKill(ClientType.PUBSUB);

                            Await.until(
                                    "a renewal", LIMIT, () -> locks.statistics().renewals() > 0);
                            assertThat(lease.verify()).isTrue();
                        }
                    });
        }
    }

    private LettuceClientConfigurationBuilderCustomizer credentials() {
        return client -> client.redisCredentialsProviderFactory(new RedisCredentialsProviderFactory() {
            @Override
            public RedisCredentialsProvider createCredentialsProvider(RedisConfiguration configuration) {
                return () -> Mono.just(RedisCredentials.just("shop", known));
            }
        });
    }
}
