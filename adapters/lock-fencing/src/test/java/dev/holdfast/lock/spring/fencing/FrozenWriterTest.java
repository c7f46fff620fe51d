package dev.holdfast.lock.spring.fencing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.lock.spring.boot.ChildJvm;
import dev.holdfast.lock.spring.fencing.FencedStock.Persistence;
import dev.holdfast.lock.spring.fencing.FencedStock.Stock;
import dev.holdfast.lock.spring.fixture.Locked;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.testing.OneAtATime;
import dev.holdfast.lock.testing.RedisServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** A process stands still between its read and its write of a fenced entity, for longer than its lease. */
@Timeout(value = Await.TEST_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Nightly(
        inEachBuild = "FencedEntityTest and FencedEntityOnPostgreSqlTest, whose holder is stale without standing still")
@OneAtATime
class FrozenWriterTest {

    @Test
    void writeOfAFrozenProcessIsRefused() throws Exception {
        String prefix = UUID.randomUUID() + ":";
        try (Locked later = Locked.instance(prefix, PostgreSql.class, Persistence.class, Stock.class)) {
            JdbcTemplate database = later.bean(JdbcTemplate.class);
            database.update("insert into Article (id, pieces, note, fence) values ('lamp', 1, '', 0)");
            try (ChildJvm frozen = start(prefix, url(later.bean(DataSource.class)))) {
                frozen.await("has read 1");
                frozen.signal("STOP");
                await().atMost(Duration.ofSeconds(60)).until(() -> !later.isHeld("stock:lamp"));
                later.bean(Stock.class).change("lamp", article -> article.pieces = 7);
                frozen.signal("CONT");
                frozen.say("write");

                assertThat(frozen.await("ended by")).contains(OptimisticLockingFailureException.class.getSimpleName());
                assertThat(database.queryForObject("select pieces from Article", Integer.class))
                        .isEqualTo(7);
            }
        }
    }

    private static String url(DataSource database) throws Exception {
        try (Connection connection = database.getConnection()) {
            return connection.getMetaData().getURL();
        }
    }

    private static ChildJvm start(String prefix, String database) throws IOException {
        String redis = RedisServer.shared().uri().toURI().toString();
        return ChildJvm.start(List.of(), List.of("-Ddatabase=" + database), FrozenWriterTest.class, redis, prefix);
    }

    /** The process. It reads the article, waits for a line, and writes. */
    public static void main(String[] args) {
        try (Locked app = Locked.instance(args[0], args[1], SharedDatabase.class, Persistence.class, Stock.class)) {
            app.bean(Stock.class).change("lamp", article -> {
                System.out.println("has read " + article.pieces);
                awaitLine();
                article.pieces = 100;
            });
            System.out.println("ended by nothing");
        } catch (RuntimeException e) {
            System.out.println("ended by " + e);
        }
    }

    private static void awaitLine() {
        try {
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class SharedDatabase {

        @Bean
        DataSource dataSource(Environment environment) {
            return new DriverManagerDataSource(environment.getRequiredProperty("database"), "postgres", "postgres");
        }
    }
}
