package dev.holdfast.lock.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.internal.connection.PendingCommand.Arguments;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments.ArgumentSet;
import org.junit.jupiter.params.provider.MethodSource;

/** The arguments of a command are what those of Lettuce are, in Redis and in traces. */
class ArgumentsTest {

    static Stream<ArgumentSet> commands() {
        return Stream.of(
                command("a script with a key", "sha", List.of("lock"), List.of("owner:1:2", "0", "30000")),
                command("a script without keys", "sha", List.of(), List.of()),
                command(
                        "a script with many keys",
                        "sha",
                        List.copyOf(java.util.Collections.nCopies(123, "k")),
                        List.of("")),
                command("a command", null, List.of(), List.of("clients", "list")),
                command(
                        "lengths of two to six digits",
                        "s".repeat(100_000),
                        List.of("k".repeat(10)),
                        List.of("v".repeat(9_999))),
                command("two, three and four bytes", "sha", List.of("größe", "鍵"), List.of("🔒")),
                command("what is no text", "sha", List.of("half \ud83d"), List.of("\udd12 a half", "\ud83d\ud83d")));
    }

    private static ArgumentSet command(String what, String script, List<String> keys, List<String> values) {
        return org.junit.jupiter.params.provider.Arguments.argumentSet(what, script, keys, values);
    }

    private static CommandArgs<String, String> ofLettuce(String script, List<String> keys, List<String> values) {
        CommandArgs<String, String> theirs = new CommandArgs<>(StringCodec.UTF8);
        if (script != null) {
            theirs.add(script).add(keys.size());
        }
        return theirs.addKeys(keys).addValues(values);
    }

    @ParameterizedTest
    @MethodSource("commands")
    void areThoseOfLettuce(String script, List<String> keys, List<String> values) {
        CommandArgs<String, String> theirs = ofLettuce(script, keys, values);

        Arguments ours = new Arguments(script, keys, values);

        assertThat(encoded(ours)).isEqualTo(encoded(theirs));
        assertThat(ours.count()).isEqualTo(theirs.count());
    }

    @Test
    void tracesShowWhatLettuceShows() {
        List<String> keys = List.of("größe", "k");
        List<String> values = List.of("owner:1:2", "");

        assertThat(new Arguments("sha", keys, values).toCommandString())
                .isEqualTo(ofLettuce("sha", keys, values).toCommandString());
        assertThat(new Arguments(null, List.of(), values).toCommandString())
                .isEqualTo(ofLettuce(null, List.of(), values).toCommandString());
    }

    private static String encoded(CommandArgs<String, String> arguments) {
        ByteBuf buffer = Unpooled.buffer();
        arguments.encode(buffer);
        return buffer.toString(StandardCharsets.ISO_8859_1);
    }
}
