package dev.holdfast.lock.leader;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.testing.OneAtATime;
import dev.holdfast.lock.testing.RedisServer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Three processes elect a leader. Leaders are killed, stand still for longer than their lease, lose Redis, and end. */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "has no signal that stops a process")
@Timeout(value = Await.TEST_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Nightly(inEachBuild = "LeaderElectionTest of lock-test, on a virtual clock")
@OneAtATime
class LeaderOverCrashesTest {

    private final String name = Waits.name("leader");
    private final List<CandidateProcess> candidates = new ArrayList<>();
    private long lastToken;

    @Test
    void oneLeadsAfterEachCrash() throws Exception {
        try (RedisServer server = RedisServer.start()) {
            String uri = server.uri().toURI().toString();
            for (int i = 0; i < 3; i++) {
                candidates.add(CandidateProcess.start(uri, name));
            }

            CandidateProcess killed = leader();
            killed.signal("KILL");
            candidates.remove(killed);

            CandidateProcess frozen = leader();
            frozen.signal("STOP");
            candidates.remove(frozen);
            leader();
            // The request waits when the process goes on: no timer of the process may be needed to answer it.
            frozen.ask();
            frozen.signal("CONT");
            assertThat(frozen.answer()).isZero();
            candidates.add(frozen);

            server.kill();
            Await.until("nobody leads", Waits.LONG, () -> leaders().isEmpty());
            server.restart();
            CandidateProcess ended = leader();
            ended.end();
            candidates.remove(ended);
            assertThat(leader()).isNotNull();
        } finally {
            candidates.forEach(CandidateProcess::close);
        }
    }

    /** Waits until one leads. Its token is greater than that of the leader before. */
    private CandidateProcess leader() {
        List<CandidateProcess> found = new ArrayList<>();
        Await.until("one leads", Await.PATIENCE, () -> {
            found.addAll(leaders());
            return !found.isEmpty();
        });
        assertThat(found).hasSize(1);
        return found.get(0);
    }

    private List<CandidateProcess> leaders() throws IOException {
        List<CandidateProcess> found = new ArrayList<>();
        for (CandidateProcess each : candidates) {
            long token = each.token();
            if (token > 0) {
                assertThat(token).isGreaterThanOrEqualTo(lastToken);
                lastToken = token;
                found.add(each);
            }
        }
        return found;
    }
}
