package dev.holdfast.lock.spring.recipe;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.task.FailureHandler.ExponentialBackoffFailureHandler;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.OncePerTick;
import dev.holdfast.lock.spring.fixture.Locked;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.h2.jdbcx.JdbcDataSource;
import org.jobrunr.configuration.JobRunr;
import org.jobrunr.scheduling.JobScheduler;
import org.jobrunr.server.BackgroundJobServerConfiguration;
import org.jobrunr.storage.InMemoryStorageProvider;
import org.junit.jupiter.api.Test;
import org.quartz.DateBuilder;
import org.quartz.DateBuilder.IntervalUnit;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobExecutionContext;
import org.quartz.JobExecutionException;
import org.quartz.SchedulerException;
import org.quartz.TriggerBuilder;
import org.quartz.impl.StdSchedulerFactory;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.modulith.events.EventPublication;
import org.springframework.modulith.events.IncompleteEventPublications;
import org.springframework.modulith.events.ResubmissionOptions;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;

/** The recipes of {@code docs/questions.md} that need other libraries, with these libraries. The page shows this file's text. */
class RecipesTest {

    private static final Pattern BLOCK = Pattern.compile("(?ms)^```java recipe\\n(.*?)^```");

    @Test
    void pageShowsTheRecipesThatRunHere() throws Exception {
        String page = Files.readString(Path.of("../docs/questions.md"));
        String code = words(Files.readString(
                Path.of("src/test/java", RecipesTest.class.getName().replace('.', '/') + ".java")));

        assertThat(BLOCK.matcher(page).results().map(block -> words(block.group(1))))
                .hasSize(4)
                .allSatisfy(recipe -> assertThat(code).contains(recipe));
    }

    private static String words(String code) {
        return code.replaceAll("\\s+", " ");
    }

    @RestController
    public static class Conversations {

        private final Sinks.Many<String> words = Sinks.many().replay().all();

        public void end() {
            words.tryEmitNext("end").orThrow();
            words.tryEmitComplete().orThrow();
        }

        @PostMapping("/conversations/{id}")
        @DistributedLock(name = "conversation", key = "#id", waitTime = "0s")
        public Flux<String> turn(@PathVariable String id, @RequestBody String text) {
            return answer(text);
        }

        Flux<String> answer(String text) {
            return text.equals("long") ? words.asFlux() : Flux.just(text);
        }
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    public static class Chat {}

    @Test
    void conversationHasOneTurnAtATimeOverAllInstances() throws Exception {
        String conversation = UUID.randomUUID().toString();
        try (ConfigurableApplicationContext one = chat();
                ConfigurableApplicationContext other = chat()) {
            Conversations conversations = one.getBean(Conversations.class);
            CompletableFuture<HttpResponse<String>> first = post(one, conversation, "long");
            LockClient locks = other.getBean(LockClient.class);
            Await.until(
                    "the turn begins",
                    Await.PATIENCE,
                    () -> locks.inspect("conversation:" + conversation).isPresent());

            assertThat(post(other, conversation, "second").get().statusCode()).isEqualTo(409);
            assertThat(post(other, UUID.randomUUID().toString(), "else").get().statusCode())
                    .isEqualTo(200);

            conversations.end();
            assertThat(first.get().body()).isEqualTo("end");
            Await.until(
                    "the next turn",
                    Await.PATIENCE,
                    () -> post(other, conversation, "next").join().statusCode() == 200);
        }
    }

    private static ConfigurableApplicationContext chat() {
        ClassLoader withoutSecurity =
                new FilteredClassLoader("org.springframework.security", "org.springframework.boot.security");
        return new SpringApplicationBuilder(Chat.class, Conversations.class)
                .resourceLoader(new DefaultResourceLoader(withoutSecurity))
                .properties(
                        "server.port=0",
                        "server.address=127.0.0.1",
                        "spring.main.banner-mode=off",
                        "spring.jmx.enabled=false",
                        "spring.data.redis.port=" + RedisServer.shared().port())
                .run();
    }

    private static CompletableFuture<HttpResponse<String>> post(
            ConfigurableApplicationContext chat, String conversation, String text) {
        String port = chat.getEnvironment().getRequiredProperty("local.server.port");
        return HttpClient.newHttpClient()
                .sendAsync(
                        HttpRequest.newBuilder(
                                        URI.create("http://127.0.0.1:" + port + "/conversations/" + conversation))
                                .POST(HttpRequest.BodyPublishers.ofString(text))
                                .build(),
                        BodyHandlers.ofString());
    }

    static class Events {

        private final IncompleteEventPublications events;

        Events(IncompleteEventPublications events) {
            this.events = events;
        }

        @Scheduled(cron = "0 */5 * * * *")
        @OncePerTick("resubmit-events")
        public void resubmit() {
            events.resubmitIncompletePublicationsOlderThan(Duration.ofMinutes(10));
        }
    }

    /** Stands for Modulith's registry, which needs a database. Notes for which tick it was called. */
    static class Publications implements IncompleteEventPublications {

        final List<Instant> resubmitted = new ArrayList<>();

        @Override
        public void resubmitIncompletePublicationsOlderThan(Duration age) {
            resubmitted.add(LockContext.tick().time());
        }

        @Override
        public void resubmitIncompletePublications(Predicate<EventPublication> filter) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void resubmitIncompletePublications(ResubmissionOptions options) {
            throw new UnsupportedOperationException();
        }
    }

    @Test
    void oneInstanceResubmitsEvents() {
        Publications publications = new Publications();
        String prefix = UUID.randomUUID() + ":";
        try (Locked one = instance(prefix, publications);
                Locked other = instance(prefix, publications)) {
            one.bean(Events.class).resubmit();
            other.bean(Events.class).resubmit();
        }

        assertThat(publications.resubmitted).isNotEmpty().doesNotHaveDuplicates();
    }

    private static Locked instance(String prefix, Publications publications) {
        return Locked.instance(
                RedisServer.shared().uri().toURI().toString(),
                prefix,
                context -> context.registerBean(IncompleteEventPublications.class, () -> publications),
                Events.class);
    }

    public static class Accounts {

        private final List<String> settled = new CopyOnWriteArrayList<>();

        public List<String> settled() {
            return settled;
        }

        @DistributedLock(name = "account", key = "#id", waitTime = "0s")
        public void settle(String id) {
            book(id);
        }

        void book(String id) {
            settled.add(id);
        }
    }

    private interface Start {
        void with(Accounts accounts) throws Exception;
    }

    /** Starts a job while somebody has its lock. Returns when the job has found the lock busy, and has run later. */
    private static void settles(Locked application, Start job) throws Exception {
        Accounts accounts = application.bean(Accounts.class);
        Lease holder = application.locks().getLock("account:4711").acquire();
        job.with(accounts);
        Await.until(
                "the lock is busy",
                Await.PATIENCE,
                () -> application.locks().statistics().busy() > 0);
        assertThat(accounts.settled()).isEmpty();
        holder.close();
        Await.until("the job has run", Await.PATIENCE, () -> accounts.settled().equals(List.of("4711")));
    }

    @Test
    void jobRunrTriesAgainWhenTheLockIsBusy() throws Exception {
        try (Locked application = Locked.application(Accounts.class)) {
            try {
                JobScheduler jobs = JobRunr.configure()
                        .useStorageProvider(new InMemoryStorageProvider())
                        .useJobActivator(application::bean)
                        .useBackgroundJobServer(
                                BackgroundJobServerConfiguration.usingStandardBackgroundJobServerConfiguration()
                                        .andPollInterval(Duration.ofMillis(200))
                                        .andWorkerCount(1))
                        .initialize()
                        .getJobScheduler();
                settles(application, accounts -> {
                    String id = "4711";
                    jobs.enqueue(() -> accounts.settle(id));
                });
            } finally {
                JobRunr.destroy();
            }
        }
    }

    @Test
    void dbSchedulerTriesAgainWhenTheLockIsBusy() throws Exception {
        JdbcDataSource database = new JdbcDataSource();
        database.setUrl("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        try (Connection connection = database.getConnection()) {
            connection.createStatement().execute("""
                    create table scheduled_tasks (task_name varchar(100), task_instance varchar(100), task_data blob,
                    execution_time timestamp with time zone, picked boolean, picked_by varchar(50), last_success timestamp with time zone,
                    last_failure timestamp with time zone, consecutive_failures int, last_heartbeat timestamp with time zone, version bigint,
                    priority smallint, primary key (task_name, task_instance))""");
        }
        try (Locked application = Locked.application(Accounts.class)) {
            OneTimeTask<String> settlement = settlement(application.bean(Accounts.class));
            Scheduler scheduler = Scheduler.create(database, settlement)
                    .pollingInterval(Duration.ofMillis(100))
                    .threads(1)
                    .build();
            try {
                scheduler.start();
                settles(application, accounts -> scheduler.schedule(settlement.instance("one", "4711"), Instant.now()));
            } finally {
                scheduler.stop();
            }
        }
    }

    private static OneTimeTask<String> settlement(Accounts accounts) {
        return Tasks.oneTime("settle", String.class)
                .onFailure(new ExponentialBackoffFailureHandler<>(Duration.ofSeconds(1)))
                .execute((task, context) -> accounts.settle(task.getData()));
    }

    public static class Settlement implements Job {

        @Override
        public void execute(JobExecutionContext context) throws JobExecutionException {
            try {
                Accounts accounts =
                        (Accounts) context.getScheduler().getContext().get("accounts");
                try {
                    accounts.settle("4711");
                } catch (LockNotAcquiredException busy) {
                    context.getScheduler()
                            .scheduleJob(TriggerBuilder.newTrigger()
                                    .forJob(context.getJobDetail())
                                    .startAt(DateBuilder.futureDate(1, IntervalUnit.SECOND))
                                    .build());
                }
            } catch (SchedulerException e) {
                throw new JobExecutionException(e);
            }
        }
    }

    @Test
    void quartzTriesAgainWhenTheLockIsBusy() throws Exception {
        Properties inMemory = new Properties();
        inMemory.putAll(Map.of(
                "org.quartz.scheduler.instanceName", UUID.randomUUID().toString(),
                "org.quartz.threadPool.threadCount", "1",
                "org.quartz.jobStore.class", "org.quartz.simpl.RAMJobStore"));
        try (Locked application = Locked.application(Accounts.class)) {
            org.quartz.Scheduler scheduler = new StdSchedulerFactory(inMemory).getScheduler();
            try {
                scheduler.getContext().put("accounts", application.bean(Accounts.class));
                scheduler.start();
                settles(
                        application,
                        accounts -> scheduler.scheduleJob(
                                JobBuilder.newJob(Settlement.class)
                                        .storeDurably()
                                        .build(),
                                TriggerBuilder.newTrigger().startNow().build()));
            } finally {
                scheduler.shutdown(true);
            }
        }
    }
}
