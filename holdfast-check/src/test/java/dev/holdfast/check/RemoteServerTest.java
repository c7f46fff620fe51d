package dev.holdfast.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.RedisURI;
import io.lettuce.core.protocol.CommandType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is said of a server before the check begins. */
@Timeout(Await.TEST_SECONDS)
class RemoteServerTest {

    @Test
    void refusedSubscriptionIsAFindingAlthoughNobodyHasWaitedYet() {
        try (RedisServer server = RedisServer.start()) {
            server.cli()
                    .aclSetuser(
                            "deaf",
                            AclSetuserArgs.Builder.on()
                                    .addPassword("word")
                                    .allKeys()
                                    .allChannels()
                                    .allCommands()
                                    .removeCommand(CommandType.SUBSCRIBE));
            RedisURI deaf = RedisURI.Builder.redis("127.0.0.1", server.port())
                    .withAuthentication("deaf", "word")
                    .build();
            try (RemoteServer checked = new RemoteServer(deaf)) {
                assertThat(checked.selfCheck("check:").findings())
                        .anySatisfy(finding -> assertThat(finding.message()).contains("Redis refuses subscriptions"));
            }
            try (RemoteServer checked = new RemoteServer(server.uri())) {
                assertThat(checked.selfCheck("check:").findings()).isEmpty();
            }
        }
    }
}
