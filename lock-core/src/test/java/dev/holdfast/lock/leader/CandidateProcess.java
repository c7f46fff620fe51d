package dev.holdfast.lock.leader;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.ChildProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** A process that takes part in an election. It says on request under which token it leads. */
final class CandidateProcess implements AutoCloseable {

    private static final Duration LEASE = Duration.ofSeconds(2);

    private final Process process;
    private final BufferedReader answers;
    private final PrintWriter requests;

    private CandidateProcess(Process process) {
        this.process = process;
        this.answers = process.inputReader(StandardCharsets.UTF_8);
        this.requests = new PrintWriter(process.getOutputStream(), true, StandardCharsets.UTF_8);
    }

    static CandidateProcess start(String uri, String name) throws IOException {
        return new CandidateProcess(ChildProcess.running(CandidateProcess.class, uri, name)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start());
    }

    void ask() {
        requests.println("look");
    }

    /** Returns the token under which the process leads, or 0. */
    long answer() throws IOException {
        return Long.parseLong(answers.readLine());
    }

    long token() throws IOException {
        ask();
        return answer();
    }

    void signal(String signal) throws IOException, InterruptedException {
        ChildProcess.signal(process, signal);
    }

    /** Closes the election and the client, and returns when the process has ended. */
    void end() throws InterruptedException {
        requests.close();
        process.waitFor();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    public static void main(String[] args) throws IOException {
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (LockClient client = Waits.client(RedisSource.of(args[0])).build();
                LeaderElection election = LeaderElection.of(client.getLock(args[1]), LEASE)) {
            election.start();
            while (requests.readLine() != null) {
                System.out.println(election.fencingToken().orElse(0));
            }
        }
    }
}
