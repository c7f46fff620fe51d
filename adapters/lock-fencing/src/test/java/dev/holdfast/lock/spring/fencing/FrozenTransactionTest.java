package dev.holdfast.lock.spring.fencing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.OnLost;
import dev.holdfast.lock.spring.boot.ChildJvm;
import dev.holdfast.lock.spring.fixture.Locked;
import dev.holdfast.lock.spring.fixture.Transactions;
import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.testing.OneAtATime;
import dev.holdfast.lock.testing.RedisServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;
import org.h2.tools.Server;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * A process is stopped before, within and after its transaction, in native SQL only. Meanwhile, Redis forgets its lock, or all that it had, and another
 * holder writes. The same rounds run with and without the fence table. {@code -Dholdfast.frozen.rounds=1000} is the long run.
 */
@Timeout(value = 3600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Nightly(inEachBuild = "FenceTableTest and FenceTableOnPostgreSqlTest, whose holder is stale without standing still")
@OneAtATime
class FrozenTransactionTest {

    private static final int ROUNDS = Integer.getInteger("holdfast.frozen.rounds", 3);
    private static final List<String> MOMENTS = List.of("before", "within", "after");

    @Test
    void noStaleTransactionIsCommittedOnPostgreSql() throws Exception {
        try (Locked database = Locked.application(PostgreSql.class)) {
            String url;
            try (var connection = database.bean(DataSource.class).getConnection()) {
                url = connection.getMetaData().getURL();
            }
            run(url, "postgres", "select count(*) from pg_locks where not granted");
        }
    }

    @Test
    void noStaleTransactionIsCommittedOnH2() throws Exception {
        Server server = Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
        try {
            run(
                    "jdbc:h2:tcp://127.0.0.1:" + server.getPort() + "/mem:" + UUID.randomUUID()
                            + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=20000",
                    "sa",
                    "select count(*) from information_schema.sessions where executing_statement like 'merge into%'"
                            + " and executing_statement_start < dateadd('millisecond', -100, current_timestamp)");
        } finally {
            server.stop();
        }
    }

    private static void run(String url, String user, String waiters) throws Exception {
        DataSource database = database(url, user);
        new JdbcTemplate(database)
                .execute("create table account (id varchar(40) primary key, token bigint, owner varchar(10))");
        FenceTableTest.Schema.create(database);
        String prefix = UUID.randomUUID().toString().substring(0, 8) + ":";
        Map<String, Integer> stale = new TreeMap<>(Map.of("fenced", 0, "bare", 0));
        try (RedisServer redis = RedisServer.start()) {
            String[] arguments = {redis.uri().toURI().toString(), prefix, url, user};
            try (ChildJvm frozen = ChildJvm.start(List.of(), List.of(), FrozenTransactionTest.class, arguments);
                    Locked later = application(arguments)) {
                Rounds rounds = new Rounds(redis, prefix, later, frozen, waiters);
                for (int round = 0; round < ROUNDS; round++) {
                    for (String arm : stale.keySet()) {
                        String moment = MOMENTS.get(round % MOMENTS.size());
                        boolean restarts = round == ROUNDS / 2;
                        stale.merge(arm, rounds.isStale(arm, moment, round, restarts) ? 1 : 0, Integer::sum);
                    }
                }
            }
        }
        System.out.println(url.substring(0, 10) + " rounds: " + ROUNDS + ", stale commits: " + stale);
        assertThat(stale.get("fenced")).isZero();
        assertThat(stale.get("bare")).isPositive();
    }

    private record Rounds(RedisServer redis, String prefix, Locked later, ChildJvm frozen, String waiters) {

        /** Returns whether the frozen process has written over the later holder's commit. */
        boolean isStale(String arm, String moment, int round, boolean restarts) throws Exception {
            JdbcTemplate jdbc = later.bean(JdbcTemplate.class);
            String id = arm + "-" + round;
            jdbc.update("insert into account (id, token) values (?, 0)", id);
            frozen.say(arm + " " + moment + " " + id);
            frozen.await("stands");
            frozen.signal("STOP");
            if (restarts) {
                redis.restart();
            } else {
                redis.cli().del(prefix + arm + ":" + id);
            }
            CompletableFuture<Void> write =
                    CompletableFuture.runAsync(() -> later.bean(Accounts.class).change(arm, "never", id, () -> {}));
            await().pollInterval(Duration.ofMillis(5))
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> write.isDone() || jdbc.queryForObject(waiters, Integer.class) > 0);
            frozen.signal("CONT");
            frozen.say("go");
            frozen.await("ended");
            write.join();
            return !"later".equals(jdbc.queryForObject("select owner from account where id = ?", String.class, id));
        }
    }

    private static DataSource database(String url, String user) {
        return new DriverManagerDataSource(url, user, user.equals("postgres") ? user : "");
    }

    private static Locked application(String[] arguments) {
        return Locked.instance(
                arguments[0],
                arguments[1],
                context -> FenceTableTest.FENCED
                        .andThen(Locked.property("url", arguments[2]))
                        .andThen(Locked.property("user", arguments[3]))
                        .accept(context),
                SharedDatabase.class,
                Holder.class,
                Accounts.class);
    }

    /** The process. It stands still where it is told, and waits for a line. */
    public static void main(String[] arguments) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (Locked app = application(arguments)) {
            Accounts accounts = app.bean(Accounts.class);
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String[] words = line.split(" ");
                try {
                    accounts.change(words[0], words[1], words[2], () -> stand(in));
                    System.out.println("ended by nothing");
                } catch (OptimisticLockingFailureException refused) {
                    System.out.println("ended by " + refused);
                }
            }
        }
    }

    private static void stand(BufferedReader in) {
        System.out.println("stands");
        try {
            in.readLine();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static class Accounts {

        private final JdbcTemplate jdbc;
        private final TransactionTemplate transaction;
        private final Holder holder;

        Accounts(JdbcTemplate jdbc, TransactionTemplate transaction, Holder holder) {
            this.jdbc = jdbc;
            this.transaction = transaction;
            this.holder = holder;
        }

        void change(String arm, String moment, String id, Runnable stand) {
            Runnable work = () -> {
                runIf(moment.equals("before"), stand);
                write(id, moment, moment.equals("within") ? stand : () -> {});
                if (moment.equals("after")) {
                    stand.run();
                    write(id, moment, () -> {});
                }
            };
            if (arm.equals("fenced")) {
                holder.fenced(id, work);
            } else {
                holder.bare(id, work);
            }
        }

        private static void runIf(boolean condition, Runnable step) {
            if (condition) {
                step.run();
            }
        }

        private void write(String id, String moment, Runnable stand) {
            transaction.executeWithoutResult(status -> {
                jdbc.queryForObject("select token from account where id = ?", Long.class, id);
                stand.run();
                jdbc.update(
                        "update account set owner = ? where id = ?", moment.equals("never") ? "later" : "frozen", id);
            });
        }
    }

    static class Holder {

        @DistributedLock(name = "fenced", key = "#id", waitTime = "60s", onLost = OnLost.REPORT)
        public void fenced(String id, Runnable work) {
            work.run();
        }

        @Unfenced
        @DistributedLock(name = "bare", key = "#id", waitTime = "60s", onLost = OnLost.REPORT)
        public void bare(String id, Runnable work) {
            work.run();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Transactions.class)
    static class SharedDatabase {

        @Bean
        DataSource dataSource(Environment environment) {
            return database(environment.getRequiredProperty("url"), environment.getRequiredProperty("user"));
        }
    }
}
