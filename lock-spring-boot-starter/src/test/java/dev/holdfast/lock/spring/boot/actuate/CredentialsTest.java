package dev.holdfast.lock.spring.boot.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LockEvent;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.proxy.FaultProxy;
import dev.holdfast.lock.spring.LockClientCustomizer;
import dev.holdfast.lock.spring.fixture.Locked;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.testing.RedisServer;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.EventListener;

/** Whatever an application of these locks says to anybody: neither how it logs in to Redis, nor what its methods were called with. */
@ExtendWith(OutputCaptureExtension.class)
class CredentialsTest {

    private static final Duration LIMIT = Await.PATIENCE;

    private final String user = "user-" + UUID.randomUUID();
    private final String password = "password-" + UUID.randomUUID();
    private final String argument = "argument-" + UUID.randomUUID();
    private final String key = "key-" + UUID.randomUUID();
    private final Queue<String> said = new ConcurrentLinkedQueue<>();

    @AfterEach
    void quietAgain() {
        LoggingSystem logging = LoggingSystem.get(getClass().getClassLoader());
        logging.setLogLevel(LoggingSystem.ROOT_LOGGER_NAME, LogLevel.WARN);
        logging.setLogLevel("dev.holdfast", null);
        logging.setLogLevel("io.lettuce", LogLevel.ERROR);
    }

    /** With Jedis, only where the credentials are read differs, which {@code TopologiesTest} shows in each build, so the rest is left to the night. */
    static List<String> ways() {
        return Nightly.Night.isOn() ? List.of("url", "jedis") : List.of("url");
    }

    @ParameterizedTest
    @MethodSource("ways")
    void showNowhereInALifeWithAnOutageAndALoss(String way, CapturedOutput output) throws InterruptedException {
        try (RedisServer server = server();
                FaultProxy proxy = FaultProxy.to(server.port());
                OperatedApplication application = OperatedApplication.of(
                        List.of(Ears.class), login(way, proxy.port(), password, "holdfast.watchdog-timeout=3s"))) {
            Await.until(
                    "locks work",
                    LIMIT,
                    () -> application.get(OperatedApplication.lock("any")).statusCode() == 200);
            CountDownLatch inBody = new CountDownLatch(1);
            CountDownLatch finish = new CountDownLatch(1);
            Thread holder =
                    new Thread(() -> say(catchThrowable(() -> application.jobs().order(key, argument, () -> {
                        inBody.countDown();
                        Locked.await(finish);
                    }))));
            holder.start();
            assertThat(inBody.await(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .as("the body began")
                    .isTrue();
            askEverything(application);

            proxy.refuseConnections();
            proxy.resetConnections();
            Await.until(
                    "the lease is lost",
                    LIMIT,
                    () -> application.bean(Ears.class).heard.stream().anyMatch(LeaseLoss.class::isInstance));
            say(catchThrowable(() -> application.jobs().order(key, argument, () -> {})));
            askEverything(application);
            finish.countDown();
            holder.join();
            Await.until(
                    "the outage is in the log", LIMIT, () -> output.toString().contains("Redis cannot be reached"));

            // Whoever changes the password sees the refusals of those who have the old one.
            server.cli().configSet("requirepass", "another");
            proxy.heal();
            application.bean(Ears.class).heard.forEach(event -> {
                say(event.toString());
                if (event instanceof LockEvent.Unavailable unavailable) {
                    say(unavailable.problem());
                } else if (event instanceof LockEvent.RenewalTrouble trouble) {
                    say(trouble.problem());
                } else if (event instanceof LockEvent.TakenBack takenBack) {
                    say(takenBack.problem());
                }
            });
        }
        assertThat(said).hasSizeGreaterThan(20).anyMatch(text -> text.contains(key));
        assertThat(output).contains("Lost the lease on lock 'order:" + key, "Redis cannot be reached");
        assertNothingIsSaid(output);
    }

    @Test
    void showNowhereWhereAStartIsRefusedBecauseThePasswordIsWrong(CapturedOutput output) {
        try (RedisServer server = server()) {
            refusedStart(login("url", server.port(), password + "-wrong", "holdfast.fail-fast=true"));
            assertThat(output).contains("APPLICATION FAILED TO START", "WRONGPASS");
        }
        assertNothingIsSaid(output);
    }

    /** A server without these commands repeats what it does not understand, password and all. */
    @Test
    void showNowhereWhereTheServerDoesNotKnowHowToLogIn(CapturedOutput output) {
        try (RedisServer server = RedisServer.start("rename-command HELLO \"\"", "rename-command AUTH \"\"")) {
            try (OperatedApplication application =
                    OperatedApplication.of(List.of(Patient.class), login("properties", server.port(), password, ""))) {
                say(catchThrowable(() -> application.jobs().order(key, argument, () -> {})));
                askEverything(application);
            }
        }
        assertThat(output).contains("Redis cannot be reached", "unknown command 'AUTH'");
        assertThat(said).anyMatch(text -> text.contains(LockUnavailableException.class.getName()));
        assertNothingIsSaid(output);
    }

    private RedisServer server() {
        return RedisServer.start("requirepass fixture", "user " + user + " on >" + password + " +@all ~* &*");
    }

    private String[] login(String way, int port, String secret, String more) {
        return way.equals("url")
                ? properties("spring.data.redis.url=redis://" + user + ":" + secret + "@127.0.0.1:" + port, more)
                : properties(
                        "spring.data.redis.username=" + user,
                        "spring.data.redis.password=" + secret,
                        "spring.data.redis.port=" + port,
                        "spring.data.redis.client-type=" + (way.equals("jedis") ? "jedis" : "lettuce"),
                        more);
    }

    private static String[] properties(String... some) {
        return Stream.concat(
                        Arrays.stream(some).filter(line -> !line.isEmpty()),
                        Stream.of(
                                "logging.level.root=info",
                                "logging.level.dev.holdfast=trace",
                                "logging.level.io.lettuce=info",
                                "holdfast.locks.order.wait-time=1s",
                                "management.health.holdfast.timeout=300ms",
                                // Asks on connections of the application's own, and waits long for them.
                                "management.health.redis.enabled=false",
                                "management.endpoint.locks.access=unrestricted",
                                "management.endpoint.health.show-details=always"))
                .toArray(String[]::new);
    }

    private void refusedStart(String... properties) {
        Throwable failure = catchThrowable(
                () -> OperatedApplication.of(List.of(), properties).close());
        assertThat(failure).isNotNull();
        say(failure);
    }

    private void askEverything(OperatedApplication application) {
        for (String path : List.of("/locks", "/locks?name=order:" + key, "/jobs", "/health", "/health/holdfast")) {
            say(application.get("/actuator" + path).body());
        }
        say(application.delete(OperatedApplication.lock("nobodys")).body());
        application.bean(MeterRegistry.class).getMeters().stream()
                .filter(meter -> meter.getId().getName().startsWith("holdfast"))
                .forEach(meter -> say(meter.getId().toString()));
        say(catchThrowable(() -> application.locks().inspect(key)));
        say(catchThrowable(() -> application.locks().forceRelease(key)));
        say(catchThrowable(
                () -> application.locks().selfCheck().toCompletableFuture().join()));
    }

    private void say(String text) {
        said.add(text);
    }

    /** With all its causes and what they suppress. */
    private void say(Throwable thrown) {
        if (thrown != null) {
            StringWriter trace = new StringWriter();
            thrown.printStackTrace(new PrintWriter(trace));
            say(trace.toString());
        }
    }

    private void assertNothingIsSaid(CapturedOutput output) {
        say(output.getAll());
        for (String secret : List.of(user, password, argument)) {
            assertThat(said.stream()
                            .flatMap(String::lines)
                            .filter(line -> line.contains(secret))
                            .toList())
                    .isEmpty();
        }
    }

    /** The first attempt to connect ends with what the server says, on a busy machine too. */
    static class Patient {

        @Bean
        LockClientCustomizer patient() {
            return builder -> builder.commandTimeout(LIMIT);
        }
    }

    static class Ears {

        final Queue<LockEvent> heard = new ConcurrentLinkedQueue<>();

        @EventListener
        void hear(LockEvent event) {
            heard.add(event);
        }
    }
}
