package dev.holdfast.lock.internal.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.testing.RedisServer;
import io.lettuce.core.ScriptOutputType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OwnerIdTest {

    @Test
    void partsAreReadAsTheyAreWritten() {
        OwnerId permit = new OwnerId(OwnerId.of("client", 7, 3, 250, 12));

        assertThat(permit.text()).isEqualTo("client:7:3:250:12");
        assertThat(permit.client()).isEqualTo("client");
        assertThat(permit.thread()).isEqualTo(OptionalLong.of(7));
        assertThat(permit.permits()).isEqualTo(12);
        assertThat(OwnerId.of("client", 7, 3, 3_000, 0)).isEqualTo("client:7:3");
        assertThat(OwnerId.of("client", 7, 3, 0, 0)).isEqualTo("client:7:3:0");
    }

    /** The scripts have the grammar once, too. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "client:7:3",
                "client:7:3:0",
                "client:7:3:250:12",
                "client:7:3:0:write",
                "uuid-1:5",
                "uuid-1:5:write"
            })
    void scriptsReadTheSame(String field) throws IOException {
        String grammar = Files.readString(Path.of("src/main/lua/lib/owner.lua"))
                + Files.readString(Path.of("src/main/lua/lib/writer.lua"));
        OwnerId owner = OwnerId.ofField(field);

        List<Object> read = RedisServer.shared()
                .cli()
                .eval(
                        grammar + "local owner = owner_of(ARGV[1])\n"
                                + "return {owner, client_of(owner), is_redisson(owner) and 1 or 0, is_foreign_writer(ARGV[1]) and 1 or 0}",
                        ScriptOutputType.MULTI,
                        new String[0],
                        field);

        assertThat(read)
                .containsExactly(
                        owner.text(),
                        owner.client(),
                        owner.isOurs() ? 0L : 1L,
                        field.endsWith(":write") && !owner.isOurs() ? 1L : 0L);
    }
}
