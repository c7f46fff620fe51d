package dev.holdfast.lock.spring.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.spring.LockJournal;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** The journal in an application. */
class LockJournalAutoConfigurationTest {

    private static final String SIZE = "holdfast.journal-size=";

    private final String lock = "bill:" + UUID.randomUUID();

    @Test
    void journalHasAllAcquisitionsThatWereMadeBeforeItIsRead() {
        try (ConfigurableApplicationContext application = application(SIZE + 10)) {
            LockClient locks = application.getBean(LockClient.class);
            for (int i = 0; i < 40; i++) {
                locks.getLock(lock).acquire().close();
            }
            LockJournal.Contents journal =
                    application.getBean(LockJournal.class).read();
            assertThat(journal.missing()).isZero();
            assertThat(journal.overwritten()).isPositive();
            assertThat(journal.events()).hasSize(10);
            assertThat(journal.completeSince()).isAfter(journal.startedAt());
        }
    }

    @Test
    void journalHasTheTimeAtWhichTheServerWasAnotherOne() {
        try (RedisServer server = RedisServer.start();
                ConfigurableApplicationContext application =
                        application(SIZE + 10, "spring.data.redis.port=" + server.port())) {
            LockClient locks = application.getBean(LockClient.class);
            LockJournal journal = application.getBean(LockJournal.class);
            locks.getLock(lock).acquire().close();
            LockJournal.Contents before = journal.read();
            assertThat(before.serverChanges()).isEmpty();
            server.restart();
            locks.getLock(lock).acquire().close();
            LockJournal.Contents after = journal.read();
            assertThat(after.serverChanges()).singleElement().satisfies(change -> {
                assertThat(change.sameUntil()).isBetween(before.readAt(), after.readAt());
                assertThat(change.noticedAt()).isBetween(change.sameUntil(), Instant.now());
            });
            assertThat(journal.read().serverChanges()).hasSize(1);
        }
    }

    @Test
    void instanceWithoutTheSettingKeepsNothing() {
        try (ConfigurableApplicationContext application = application()) {
            assertThat(application.getBeanNamesForType(LockJournal.class)).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "1000001"})
    void sizeOutOfBoundsFailsTheStart(String size) {
        assertThatThrownBy(() -> application(SIZE + size).close())
                .rootCause()
                .hasMessageContaining("between 1 and 1000000");
    }

    private static ConfigurableApplicationContext application(String... properties) {
        return new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.main.banner-mode=off",
                        "spring.jmx.enabled=false",
                        "spring.data.redis.host=127.0.0.1",
                        "spring.data.redis.port=" + RedisServer.shared().port())
                .properties(properties)
                .run();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}
}
