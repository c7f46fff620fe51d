package dev.holdfast.lock.spring.job;

import dev.holdfast.lock.spring.fixture.Locked;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Another process of the application, in the middle of a job, until it is killed. */
final class KilledInstance implements AutoCloseable {

    private final Process process;

    private KilledInstance(Process process) {
        this.process = process;
    }

    static KilledInstance runningAJob(String prefix) throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "-Dredis.uri="
                                + dev.holdfast.lock.testing.RedisServer.shared()
                                        .uri()
                                        .toURI(),
                        KilledInstance.class.getName(),
                        prefix)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        for (String line = output.readLine(); !"running".equals(line); line = output.readLine()) {
            if (line == null) {
                throw new IllegalStateException("The instance ended early");
            }
        }
        return new KilledInstance(process);
    }

    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    public static void main(String[] args) {
        try (Locked instance =
                Locked.instance(System.getProperty("redis.uri"), args[0], AnnotatedJobTest.LongJob.class)) {
            instance.bean(AnnotatedJobTest.LongJob.class).run(() -> {
                System.out.println("running");
                AnnotatedJobTest.pause(java.time.Duration.ofMinutes(2));
            });
        }
    }
}
