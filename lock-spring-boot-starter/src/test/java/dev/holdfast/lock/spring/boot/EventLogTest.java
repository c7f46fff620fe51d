package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.jayway.jsonpath.JsonPath;
import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What happens to locks, as events of the application and as the lines of JSON that {@code holdfast-check judge} reads. */
class EventLogTest {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final Logger logger = (Logger) LoggerFactory.getLogger("dev.holdfast.lock.events");
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final String name = "a \"quoted\" \\ name\n" + UUID.randomUUID();

    @BeforeEach
    void listen() {
        log.list = new CopyOnWriteArrayList<>();
        log.start();
        logger.addAppender(log);
    }

    @AfterEach
    void stop() {
        logger.detachAppender(log);
        logger.setLevel(null);
    }

    @Test
    void eachEventIsALineWithTheSameFields() {
        logger.setLevel(Level.DEBUG);
        Contexts.on(RedisServer.shared())
                .withPropertyValues("holdfast.client-name=shop@host-1")
                .run(context -> {
                    LockClient locks = context.getBean(LockClient.class);
                    try (Lease lease = locks.getLock(name).acquire()) {
                        assertThat(locks.getLock(name)
                                        .tryAcquire(AcquireOptions.defaults().waitAtMost(Duration.ZERO)))
                                .isEmpty();
                        Await.until("acquired and refused", LIMIT, () -> log.list.size() == 2);
                        assertThat(lines().get(0))
                                .containsEntry("token", Long.toString(lease.fencingToken()))
                                .containsEntry("kind", "REENTRANT");
                    }
                    Await.until("released", LIMIT, () -> log.list.size() == 3);
                });

        assertThat(lines())
                .allSatisfy(line -> assertThat(line)
                        .containsOnlyKeys(
                                "instance",
                                "since",
                                "number",
                                "at",
                                "event",
                                "lock",
                                "kind",
                                "token",
                                "waitedMicros",
                                "heldMicros",
                                "unconfirmedMicros",
                                "handedOver",
                                "cause")
                        .containsEntry("instance", "shop@host-1")
                        .containsEntry("lock", name));
        assertThat(lines()).extracting(line -> line.get("number")).containsExactly(1, 2, 3);
        assertThat(lines()).extracting(line -> line.get("event")).containsExactly("acquired", "refused", "released");
        assertThat(lines()).extracting(line -> line.get("cause")).containsExactly(null, "BUSY", null);
        assertThat(log.list)
                .allSatisfy(line -> assertThat(line.getFormattedMessage())
                        .startsWith("{\"instance\":\"shop@host-1\",")
                        .doesNotContain("\n"));
    }

    @Test
    void nothingIsLoggedByDefault() {
        Contexts.on(RedisServer.shared()).run(context -> {
            context.getBean(LockClient.class).getLock(name).acquire().close();
            context.getSourceApplicationContext().close();
        });
        assertThat(log.list).isEmpty();
    }

    private List<Map<String, Object>> lines() {
        return log.list.stream()
                .map(line -> JsonPath.<Map<String, Object>>read(line.getFormattedMessage(), "$"))
                .toList();
    }
}
