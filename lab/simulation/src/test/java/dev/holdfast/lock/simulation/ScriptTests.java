package dev.holdfast.lock.simulation;

import static org.junit.platform.engine.TestExecutionResult.Status.FAILED;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.testing.RedisServer;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.platform.engine.CancellationToken;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherExecutionRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs lock-core's tests on a real Redis with a fault in the scripts. Each class that reads a changed script is loaded once more, up to the first test
 * that fails twice. Its tests must pass without the fault.
 */
final class ScriptTests {

    private static final String FOLDER = "dev/holdfast/lock/internal/protocol/lua/";
    private static final String SCRIPT = ".lua";
    private static final String PACKAGE = "dev.holdfast.lock.";

    /** About in the order of their cost. */
    private static final List<String> CLASSES = List.of("""
            internal.protocol: ScriptConstants
            redis.script: UsualPath SemaphoreScript RecordScript WrongTypeQueue QueueDeadlines ReadWriteScripts QueueScript RoundTrips RepeatedScript
            redis.composite: MultiNames CompositeMinHold
            redis.lease: Guard TokenClock LossInRedis
            redis.semaphore: Semaphore
            redis.readwrite: WriterPreference ReadWriteLock
            redis.waiting: WaitingLocks LostKeyHandOver QueueGrowth
            redis.interop: GraceBesideOthers RedissonFaults QueueBesideRedisson RedissonMultiLock StopBesideRedisson RedissonFairInterop RedissonReadWriteInterop
            redis.composite: MultiCluster
            redis.script: ManyNames
            redis.client: FindLocks MissingRight
            redis.fault: GraceRecord FullServer GraceCluster FailoverGrace
            """.split("\n")).stream()
            .flatMap(line ->
                    Stream.of(line.split(": ")[1].split(" ")).map(name -> line.split(": ")[0] + "." + name + "Test"))
            .toList();

    /** The simulation silences it; tests read it. */
    private static final Logger LOG = Logger.getLogger("dev.holdfast.lock");

    /** A class may take so many times as long as without the fault, and so many seconds more, on a busy machine. */
    private static final int SLOWER = 4;

    /** How long it has to end once it is interrupted. */
    private static final long LAST_MILLIS = 20_000;

    /** What the classes do without a fault. */
    private static final Map<String, Run> SOUND = new HashMap<>();

    /**
     * What a class did.
     *
     * @param failed the first test that failed; null if none did
     */
    private record Run(Set<String> scripts, @Nullable String failed, long tests, long nanos) {}

    private ScriptTests() {}

    /** Returns the test that fails because of a change of these scripts; null if none does. */
    static @Nullable String failing(UnaryOperator<Script> change, Set<String> changed) {
        String failed = CLASSES.stream()
                .filter(name -> reads(name, changed))
                .map(name -> run(name, change, SLOWER * (SOUND.get(name).nanos + 1_000_000_000L)).failed)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
        // Those of the numbers read all scripts, and run none.
        if (failed == null && CLASSES.stream().noneMatch(name -> name.startsWith("redis.") && reads(name, changed))) {
            throw new IllegalStateException("No test runs " + changed);
        }
        return failed;
    }

    private static boolean reads(String name, Set<String> changed) {
        return !Collections.disjoint(SOUND.computeIfAbsent(name, ScriptTests::sound).scripts, changed);
    }

    private static Run sound(String name) {
        Run run = run(name, UnaryOperator.identity(), Long.MAX_VALUE);
        if (run.failed != null || run.tests == 0) {
            throw new IllegalStateException(
                    "Without a fault, " + run.tests + " tests of " + name + " pass: " + run.failed);
        }
        return run;
    }

    /** Repeats what fails, because some tests measure times, and the machine may be busy. */
    private static Run run(String name, UnaryOperator<Script> change, long mostNanos) {
        Run run = once(name, change, mostNanos);
        return run.failed == null ? run : once(name, change, mostNanos);
    }

    private static Run once(String name, UnaryOperator<Script> change, long mostNanos) {
        Map<String, byte[]> files = new HashMap<>();
        for (Script script : LuaMutator.scripts()) {
            Script changed = Script.of(script.name(), change.apply(script).text());
            files.put(FOLDER + script.name() + SCRIPT, changed.text().getBytes(StandardCharsets.UTF_8));
            // With the digest of the product's script, a server that knows that script would run it.
            files.put(FOLDER + script.name() + ".sha1", changed.sha().getBytes(StandardCharsets.UTF_8));
        }
        MutantLoader loader = new MutantLoader(files);
        LOG.setLevel(Level.ALL);
        LOG.setUseParentHandlers(false);
        Verdict verdict = new Verdict();
        long began = System.nanoTime();
        Thread thread = new Thread(() -> verdict.judge(loader, PACKAGE + name), "script tests");
        thread.setContextClassLoader(loader);
        thread.setDaemon(true);
        thread.start();
        try {
            thread.join(Math.max(1, mostNanos / 1_000_000));
            if (thread.isAlive()) {
                verdict.fail("it does not end");
                // A script may run forever, and then Redis answers nobody.
                RedisServer.shared().restart();
                thread.interrupt();
                // A test that waits for its own servers, and cannot be interrupted, stays behind.
                thread.join(LAST_MILLIS);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        RedisServer.shared().cli().flushall();
        Set<String> read =
                loader.read().stream().filter(file -> file.startsWith(FOLDER)).collect(Collectors.toSet());
        if (!files.keySet().containsAll(read)) {
            throw new IllegalStateException(name + " reads what no mutant changes: " + read);
        }
        Set<String> scripts = read.stream()
                .filter(file -> file.endsWith(SCRIPT))
                .map(file -> file.substring(FOLDER.length(), file.length() - SCRIPT.length()))
                .collect(Collectors.toSet());
        return new Run(
                scripts,
                verdict.failed == null ? null : name + "." + verdict.failed,
                verdict.passed,
                System.nanoTime() - began);
    }

    /** Stops after the first test that fails. */
    private static final class Verdict implements TestExecutionListener {
        private final CancellationToken stop = CancellationToken.create();
        private volatile @Nullable String failed;
        private volatile long passed;

        void judge(ClassLoader loader, String name) {
            LauncherDiscoveryRequest found = LauncherDiscoveryRequestBuilder.request()
                    .selectors(selectClass(loader, name))
                    .build();
            LauncherFactory.create()
                    .execute(LauncherExecutionRequestBuilder.request(found)
                            .listeners(this)
                            .cancellationToken(stop)
                            .build());
        }

        synchronized void fail(String test) {
            failed = failed == null ? test : failed;
            stop.cancel();
        }

        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            if (result.getStatus() == FAILED) {
                String thrown = String.valueOf(result.getThrowable().orElse(null));
                fail(test.getDisplayName() + ": " + thrown.replaceAll("\\s+", " "));
            } else if (test.isTest()) {
                passed++;
            }
        }
    }
}
