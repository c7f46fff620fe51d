package dev.holdfast.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.check.CheckStage.Phase;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisURI;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CheckOptionsTest {

    private static CheckOptions parse(String line) {
        return CheckOptions.parse(List.of(line.split(" ")), null);
    }

    @Test
    void addressAloneIsEnough() {
        CheckOptions options = parse("redis://localhost:6380/3");
        assertThat(options.address().getPort()).isEqualTo(6380);
        assertThat(options.address().getDatabase()).isEqualTo(3);
        assertThat(options.seconds()).isEqualTo(600);
        assertThat(options.rate()).isEqualTo(300);
        assertThat(options.phases()).containsExactly(Phase.values());
        assertThat(options.library()).isEqualTo(CheckedLibrary.HOLDFAST);
        assertThat(options.page()).isNull();
    }

    @Test
    void optionsMayStandAroundTheAddress() {
        CheckOptions options =
                parse("--minutes 2 rediss://host --faults process,network --library naive --grace 6 --rate 20");
        assertThat(options.address().isSsl()).isTrue();
        assertThat(options.seconds()).isEqualTo(120);
        assertThat(options.phases()).containsExactly(Phase.NETWORK, Phase.PROCESS);
        assertThat(options.library()).isEqualTo(CheckedLibrary.NAIVE);
        assertThat(options.graceSeconds()).isEqualTo(6);
        assertThat(options.rate()).isEqualTo(20);
    }

    @Test
    void whoTriesALibraryIsNotAskedToFailOver() {
        CheckOptions options = parse("redis://host --library shedlock --class-path lib --among-data");
        assertThat(options.library()).isEqualTo(CheckedLibrary.SHEDLOCK);
        assertThat(options.classPath()).isEqualTo("lib");
        assertThat(options.amongData()).isTrue();
        assertThat(options.page()).hasToString("holdfast-check-shedlock.html");
        assertThat(options.phases()).containsExactly(Phase.NETWORK, Phase.PROCESS);
    }

    @Test
    void passwordNeedNotBeOnTheCommandLine() {
        assertThat(password(
                        CheckOptions.parse(List.of("redis://host"), "secret").address()))
                .isEqualTo("secret");
        assertThat(password(CheckOptions.parse(List.of("redis://:mine@host"), "other")
                        .address()))
                .isEqualTo("mine");
    }

    private static String password(RedisURI uri) {
        return uri.getCredentialsProvider()
                .resolveCredentials()
                .map(RedisCredentials::getPassword)
                .map(String::new)
                .block();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    redis://host --minutes 0 | --minutes must be a number from 1 to 240, was '0'
                    redis://host --rate fast | --rate must be a number from 10 to 2000, was 'fast'
                    redis://host --minutes   | --minutes must be a number from 1 to 240, was ''
                    redis://host --hurry     | Unknown argument '--hurry'
                    redis://host redis://b   | Unknown argument 'redis://b'
                    redis://host --library mine | --library must be holdfast, naive, redisson, shedlock, shedlock-with-safe-update, spring-integration, spring-integration-with-renewal, was 'mine'
                    redis://host --library redisson | --library redisson needs --class-path with its jars
                    localhost:6379           | The first argument must be redis://…, rediss://… or the path of a redis-server. 'localhost:6379' is no such file
                    --rate 20                | The first argument must be redis://…, rediss://… or the path of a redis-server, and is missing
                    redis://host --faults x  | --faults must be some of network, process and failover, with commas, was 'x'
                    """)
    void wrongArgumentIsNamedWithItsValue(String line, String message) {
        assertThatThrownBy(() -> parse(line))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }
}
