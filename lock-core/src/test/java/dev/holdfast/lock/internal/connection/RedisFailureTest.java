package dev.holdfast.lock.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisCommandExecutionException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedisFailureTest {

    /** What Redis 7, Redis 8 and Valkey 9 say of a slot that moves, or that the server of a service does not have. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "ERR Script attempted to access a non local key in a cluster node script: f4da, on @user_script:48.",
                "ERR Script attempted to access a slot not served script: f4da, on @user_script:48.",
                "ERR Attempted to access a non local key in a cluster node script: on @user_script:113."
            })
    void scriptThatNeedsAKeyOfAnotherServerMayBeRepeated(String message) {
        RedisFailure failure = RedisFailure.classify(new RedisCommandExecutionException(message));

        assertThat(failure.isTransient()).isTrue();
        assertThat(failure.isOutcomeUnknown())
                .as("what it wrote before stays written")
                .isTrue();
        assertThat(failure.isForKeys()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "READONLY",
                "LOADING",
                "MASTERDOWN",
                "CLUSTERDOWN",
                "TRYAGAIN",
                "NOREPLICAS",
                "OOM",
                "MISCONF",
                "BUSY"
            })
    void stateOfTheServerThatCanEndRefusesForNow(String code) {
        RedisFailure failure = RedisFailure.classify(new RedisCommandExecutionException(code + " Not now."));

        assertThat(failure.kind()).isEqualTo(RedisFailure.Kind.REFUSED_FOR_NOW);
        assertThat(failure.isOutcomeUnknown()).isFalse();
    }
}
