package dev.holdfast.lock.internal.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.internal.protocol.AcquireRequest.Hearing;
import dev.holdfast.lock.redis.fixture.ScriptConnection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Numbers that scripts and clients both know are the same numbers. */
class ScriptConstantsTest {

    private static String constant(String file, String name) {
        try {
            String text = Files.readString(Path.of("src/main/lua/lib", file + ".lua"));
            Matcher line =
                    Pattern.compile("(?m)^local " + name + " = '?([^'\\n]+)'?$").matcher(text);
            assertThat(line.find()).as(name + " in " + file).isTrue();
            return line.group(1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String lifetime(Hearing hearing) {
        return new AcquireRequest(
                        "",
                        "",
                        "",
                        ScriptConnection.terms(1_000),
                        1,
                        0,
                        AcquireRequest.USUAL_LIFETIME_MILLIS,
                        hearing,
                        null)
                .placeLifetime();
    }

    @Test
    void placesLiveForTheUsualLifetime() {
        assertThat(constant("queue", "LIFETIME")).isEqualTo(Long.toString(AcquireRequest.USUAL_LIFETIME_MILLIS));
        assertThat(constant("arguments", "USUAL_LIFETIME")).isEqualTo(lifetime(Hearing.SOON));
    }

    @Test
    void scriptsKnowEachFractionOfALifetime() {
        String known = constant("queue", "NOT_LISTENING");

        for (Hearing hearing : List.of(Hearing.SOON, Hearing.NO)) {
            assertThat(known).contains("[" + Double.parseDouble(lifetime(hearing)) % 1 + "] =");
        }
    }

    @Test
    void releasesGrantTheUsualFirstLease() {
        assertThat(constant("owner", "FIRST_LEASE")).isEqualTo(Long.toString(OwnerId.USUAL_FIRST_LEASE_MILLIS));
    }

    @Test
    void numbersHaveAsManyTokens() {
        assertThat(constant("clock", "TOKENS")).isEqualTo(Integer.toString(FencingTokens.FOR_EACH_GRANT));
    }

    @Test
    void leasesHaveTheSameBounds() {
        assertThat(constant("common", "SHORTEST_LEASE")).isEqualTo(Long.toString(AcquireOptions.MIN_LEASE.toMillis()));
        assertThat(constant("common", "LONGEST_LEASE")).isEqualTo(Long.toString(AcquireOptions.MAX_LEASE.toMillis()));
    }
}
