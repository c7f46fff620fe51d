package dev.holdfast.lock.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(Await.TEST_SECONDS)
class RedisServerTest {

    @Test
    void closedServerLeavesNothing() {
        RedisServer redis = RedisServer.start();
        Path folder = redis.life().folder().path();
        redis.save();
        redis.close();
        assertThat(folder).doesNotExist();
        assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), redis.port()))
                .hasMessageContaining("refused");
    }

    @Test
    void killedJvmLeavesNoServerNotEvenAPausedOne() throws Exception {
        Process jvm = ChildProcess.running(Abandoned.class)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader output = jvm.inputReader();
        ProcessHandle server =
                ProcessHandle.of(Long.parseLong(output.readLine())).orElseThrow();
        Path folder = Path.of(output.readLine());
        assertThat(folder).exists();
        jvm.destroyForcibly().waitFor();
        server.onExit().get(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(Files.exists(folder)).isFalse();
    }

    /** The JVM that is killed: it starts a server, says which, and waits for its end. */
    static final class Abandoned {

        public static void main(String[] args) throws Exception {
            RedisServer redis = RedisServer.start();
            String pid = redis.info("server").get("process_id");
            redis.pause();
            System.out.println(pid + "\n" + redis.life().folder().path());
            Thread.sleep(60_000);
        }
    }
}
