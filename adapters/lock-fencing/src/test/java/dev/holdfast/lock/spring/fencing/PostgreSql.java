package dev.holdfast.lock.spring.fencing;

import static org.junit.jupiter.api.Assumptions.abort;

import dev.holdfast.lock.testing.OneAtATime;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

/** A new database on a real PostgreSQL, which all tests of this JVM share. Tests are skipped on a platform for which the build has no binaries. */
@Configuration(proxyBeanMethods = false)
public class PostgreSql {

    private static final AtomicInteger DATABASES = new AtomicInteger();

    @Bean
    public DataSource dataSource() {
        EmbeddedPostgres server = Server.STARTED;
        if (server == null) {
            return abort("The build has no PostgreSQL for this platform: " + System.getProperty("os.name") + " "
                    + System.getProperty("os.arch"));
        }
        String name = "test" + DATABASES.incrementAndGet();
        new JdbcTemplate(server.getPostgresDatabase()).execute("create database " + name);
        return server.getDatabase("postgres", name);
    }

    private static final class Server {
        static final EmbeddedPostgres STARTED = isAvailable() ? start() : null;

        private static boolean isAvailable() {
            return System.getProperty("os.name").equals("Linux")
                    && System.getProperty("os.arch").equals("amd64");
        }

        private static EmbeddedPostgres start() {
            try (Closeable turn = OneAtATime.Turn.take()) {
                EmbeddedPostgres server = EmbeddedPostgres.builder()
                        .setServerConfig("listen_addresses", "127.0.0.1")
                        .start();
                Runtime.getRuntime().addShutdownHook(new Thread(() -> close(server)));
                return server;
            } catch (IOException e) {
                throw new IllegalStateException("PostgreSQL did not start", e);
            }
        }

        private static void close(EmbeddedPostgres server) {
            try {
                server.close();
            } catch (IOException e) {
                throw new IllegalStateException("PostgreSQL did not stop", e);
            }
        }
    }
}
