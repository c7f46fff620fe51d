package dev.holdfast.lock.redis.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.testing.RedisCluster;
import dev.holdfast.lock.testing.RedisServer;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** What Lettuce logs of nodes that a cluster lacks, while locks in their slots are wanted all the time. */
@Timeout(Await.TEST_SECONDS)
@Nightly(inEachBuild = "LockLogTest")
class MissingClusterNodeLogTest {

    private static final Duration OUTAGE = Duration.ofSeconds(10);

    private final Logger lettuce = (Logger) LoggerFactory.getLogger("io.lettuce");
    private final Level level = lettuce.getLevel();
    private final Queue<ILoggingEvent> events = new ConcurrentLinkedQueue<>();
    private final AppenderBase<ILoggingEvent> recorder = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            events.add(event);
        }
    };

    @BeforeEach
    void record() {
        recorder.setContext(lettuce.getLoggerContext());
        recorder.start();
        lettuce.setAdditive(false);
        lettuce.setLevel(Level.INFO);
        lettuce.addAppender(recorder);
    }

    @AfterEach
    void stopRecording() {
        lettuce.detachAppender(recorder);
        lettuce.setLevel(level);
        lettuce.setAdditive(true);
    }

    @Test
    void missingMasterAndReplicaAreLoggedAFewTimes() throws InterruptedException {
        try (RedisCluster cluster = RedisCluster.start();
                LockClient client = RedisLockClient.builder(
                                RedisSource.cluster(cluster.uris().toArray(RedisURI[]::new)))
                        .build()) {
            client.getLock("a").tryAcquire().orElseThrow().close();
            RedisServer master = cluster.masterOf("a");
            List<RedisServer> missing = new ArrayList<>(cluster.replicasOf(master));
            missing.add(master);
            missing.forEach(RedisServer::kill);

            long start = System.nanoTime();
            while (System.nanoTime() - start < OUTAGE.toNanos()) {
                assertThatThrownBy(() -> client.getLock("a").tryAcquire()).isInstanceOf(LockUnavailableException.class);
                Thread.sleep(100);
            }

            List<String> lines = linesAbout(missing);
            assertThat(lines)
                    .filteredOn(line -> line.contains("TopologyRefresh"))
                    .isNotEmpty()
                    .hasSizeLessThanOrEqualTo(10);
            assertThat(lines).hasSizeLessThanOrEqualTo(30);
        }
    }

    /** Other tests' clients may log at the same time. */
    private List<String> linesAbout(List<RedisServer> servers) {
        return events.stream()
                .map(event -> event.getLoggerName() + ": " + event.getFormattedMessage())
                .filter(line -> servers.stream().anyMatch(server -> line.contains(":" + server.port())))
                .toList();
    }
}
