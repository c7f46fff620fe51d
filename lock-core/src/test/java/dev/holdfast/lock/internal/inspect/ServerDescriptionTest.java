package dev.holdfast.lock.internal.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServerDescriptionTest {

    @Test
    void valkeyIsCalledByItsOwnNameVersionAndMode() {
        ServerDescription valkey = ServerDescription.parse("# Server\r\n"
                + "redis_version:7.2.4\r\n"
                + "server_name:valkey\r\n"
                + "valkey_version:8.0.1\r\n"
                + "server_mode:standalone\r\n");

        assertThat(valkey.product()).isEqualTo("Valkey");
        assertThat(valkey.version()).isEqualTo("8.0.1");
        assertThat(valkey.mode()).isEqualTo("standalone");
        assertThat(valkey.isTooOld()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"6.0.16, true", "5.0.14, true", "6.2.0, false", "7.4.1, false", "255.255.255, false", "v-next, false"})
    void versionBelowTheFloorIsTooOld(String version, boolean tooOld) {
        assertThat(ServerDescription.parse("redis_version:" + version).isTooOld())
                .isEqualTo(tooOld);
    }

    @Test
    void whatIsNotSaidIsUnknown() {
        ServerDescription silent = ServerDescription.parse("");

        assertThat(silent.version()).isEqualTo("unknown");
        assertThat(silent.mode()).isEqualTo("unknown");
        assertThat(silent.isTooOld()).isFalse();
    }
}
