package dev.holdfast.check;

import dev.holdfast.check.CheckStage.Phase;
import dev.holdfast.lock.LockException;
import dev.holdfast.lock.SelfCheck;
import io.lettuce.core.RedisException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Security;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Checks locks on somebody's own Redis: three worker processes, each fault that a client can have, and pauses in which the operator changes the server.
 * {@code java -jar holdfast-check.jar redis://…} starts it.
 */
public final class Check {

    /** A cycle has a phase of each kind, and is about so long. */
    private static final int CYCLE_SECONDS = 200;

    private static final int REST_SECONDS = 3;
    private static final long PROGRESS_MILLIS = 5_000;
    private static final int LAST_STEPS_SECONDS = 20;

    /** Kept, because java.util.logging forgets what nobody refers to. */
    private static final Logger LETTUCE = Logger.getLogger("io.lettuce");

    private final CheckOptions options;
    private final PrintStream out;
    private final String prefix =
            "holdfast-check-" + Integer.toHexString(ThreadLocalRandom.current().nextInt(0x1000, 0x10000)) + ":";

    Check(CheckOptions options, PrintStream out) {
        this.options = options;
        this.out = out;
    }

    /** Runs a check, or judges logs. The first argument is the address, or {@code judge}. */
    public static void main(String[] args) throws InterruptedException {
        // Otherwise, SLF4J's first words are that it logs nowhere.
        System.setProperty("slf4j.internal.verbosity", "ERROR");
        List<String> arguments = new ArrayList<>(Arrays.asList(args));
        if (!arguments.isEmpty() && arguments.get(0).equals("judge")) {
            System.exit(Judge.run(arguments.subList(1, arguments.size()), System.out));
        }
        if (arguments.isEmpty() || arguments.contains("--help")) {
            System.out.println(CheckOptions.USAGE);
            System.exit(arguments.isEmpty() ? CheckReport.WRONG_ARGUMENTS : CheckReport.KEPT);
        }
        CheckOptions options;
        try {
            startServer(arguments);
            options = CheckOptions.parse(arguments, System.getenv("REDISCLI_AUTH"));
        } catch (IllegalArgumentException | IllegalStateException e) {
            System.err.println(e.getMessage() + ". --help prints all options.");
            System.exit(CheckReport.WRONG_ARGUMENTS);
            return;
        }
        // Lettuce would tell of each connection that the server ends.
        LETTUCE.setLevel(Level.SEVERE);
        // After a failover, the name may lead to another server.
        Security.setProperty("networkaddress.cache.ttl", "1");
        System.setProperty("grace", String.valueOf(options.graceSeconds()));
        CountDownLatch ended = endOnInterrupt(Thread.currentThread());
        int code = new Check(options, System.out).run();
        ended.countDown();
        System.exit(code);
    }

    /** Starts a server if the first argument is its binary, and puts its address there. It ends with this process. */
    private static void startServer(List<String> arguments) throws InterruptedException {
        Path binary = Path.of(arguments.get(0));
        if (Files.isExecutable(binary)) {
            arguments.set(0, "redis://127.0.0.1:" + StartedServer.from(binary));
        }
    }

    /** Lets Ctrl-C end the present phase, and waits until workers and keys are removed. */
    private static CountDownLatch endOnInterrupt(Thread main) {
        CountDownLatch ended = new CountDownLatch(1);
        Thread hook = new Thread(() -> {
            if (ended.getCount() > 0) {
                main.interrupt();
                try {
                    ended.await(LAST_STEPS_SECONDS, TimeUnit.SECONDS);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        });
        Runtime.getRuntime().addShutdownHook(hook);
        return ended;
    }

    int run() {
        try (RemoteServer server = new RemoteServer(options.address())) {
            CheckedLibrary library = options.library();
            int redirected = server.redirected(prefix);
            // The self-check needs a key, which may be on another node. It is about Holdfast.
            SelfCheck check = redirected > 0 || library.isReaders() ? server.described() : server.selfCheck(prefix);
            CheckReport report = new CheckReport(options, check, server.info(), redirected);
            ReaderJars jars = new ReaderJars(options.classPath());
            if (library.isReaders()) {
                jars.require(library);
                requireEmpty(server);
            }
            ResultPage page = new ResultPage(library, jars.version(library.jar()), report.described(), options.seed());
            out.println(report.server());
            if (report.canBegin()) {
                announce();
                try {
                    check(server, report, page);
                } finally {
                    remove(server);
                }
            }
            out.println("\n" + (library.isReaders() && report.canBegin() ? page.text() : report.text()));
            write(page);
            return library.isReaders() && report.canBegin() ? page.exitCode() : report.exitCode();
        } catch (RedisException | LockException | IllegalStateException e) {
            out.println("No result: " + e.getMessage() + (e.getCause() == null ? "" : " (" + e.getCause() + ")"));
            return CheckReport.NO_RESULT;
        }
    }

    /** Lets no other library near other data, because only its authors know what it writes. */
    private void requireEmpty(RemoteServer server) {
        if (!options.amongData() && !server.isEmpty()) {
            throw new IllegalStateException(
                    "This Redis is not empty, or does not say so (INFO). Use one that is, such as the path of a"
                            + " redis-server in place of the address. Or add --among-data: all keys of the check contain "
                            + prefix);
        }
    }

    private void write(ResultPage page) {
        if (options.page() != null) {
            try {
                Files.writeString(options.page(), page.html());
                out.println("Page: " + options.page().toAbsolutePath());
            } catch (IOException e) {
                throw new IllegalStateException("No page", e);
            }
        }
    }

    private void announce() {
        out.println("Three processes use locks for " + options.seconds() + " s, with at most " + options.rate()
                + " requests in a second. They write only keys whose names contain " + prefix
                + (options.library().isReaders()
                        ? ", which are removed."
                        : " and names of clients (holdfast:client:…), which all end by themselves or are removed, and raise the"
                                + " number holdfast:token, which all clients of Holdfast share and which stays.")
                + " Only their own connections are cut. Ctrl-C ends it. Seed " + options.seed() + ".\n");
    }

    private void check(RemoteServer server, CheckReport report, ResultPage page) {
        Path logs = logs();
        try (ServerWatch watch = new ServerWatch(server)) {
            List<Phase> kinds = options.phases();
            int cycles = Math.max(1, options.seconds() / CYCLE_SECONDS);
            int seconds = Math.max(5, options.seconds() / cycles / kinds.size());
            for (int i = 0; i < cycles * kinds.size(); i++) {
                phase(kinds.get(i % kinds.size()), seconds, options.seed() + i, server, watch, logs, report, page);
            }
        } catch (InterruptedException e) {
            out.println("Ended before its time.");
        }
    }

    private void phase(
            Phase phase,
            int seconds,
            long seed,
            RemoteServer server,
            ServerWatch watch,
            Path logs,
            CheckReport report,
            ResultPage page)
            throws InterruptedException {
        long begin = System.nanoTime();
        FaultLog log = new FaultLog();
        CheckedLibrary library = options.library();
        WorkerSettings settings = server.settings(
                prefix,
                options.rate(),
                Workers.COUNT * Worker.THREADS,
                library.isReaders() ? options.classPath() : null);
        if (phase == Phase.FAILOVER) {
            out.println(">>> Let your provider fail over, restart or move the server now. For " + seconds
                    + " s, nothing else is broken.");
        }
        try (CheckStage stage = new CheckStage(phase, server, settings)) {
            Thread progress = progress(phase, seconds, stage, log);
            Run.Result result;
            try {
                result = new Run(library, seed, seconds, REST_SECONDS, logs).on(stage, log);
            } finally {
                progress.interrupt();
            }
            List<ServerWatch.Change> changes = watch.changesSince(begin);
            List<Outage> outages = new ArrayList<>(result.history().outages());
            outages.addAll(watch.outagesSince(begin));
            History history = new History(
                    result.history().attempts(),
                    result.history().writes(),
                    outages,
                    result.history().stalls());
            Terms terms = terms(phase == Phase.FAILOVER || !changes.isEmpty());
            Findings findings = Checker.check(history, terms, Workers.COUNT);
            List<String> left = library.isReaders() ? stage.leftBehind() : result.left();
            left.forEach(each -> findings.broken(Rule.NOTHING_LEFT, each));
            Run.Result checked = new Run.Result(history, left);
            report.add(phase, seconds, checked, findings, terms, changes);
            page.add(seconds, checked, findings);
        }
    }

    /** Returns what is promised. A server that was replaced may have forgotten locks, and a client may need a while to find the next one. */
    private Terms terms(boolean changed) {
        Terms terms = changed ? Terms.dataIsLost(Duration.ofSeconds(10)) : Terms.dataIsKept();
        if (changed && options.graceSeconds() > 0) {
            terms = terms.withGrace();
        }
        return options.library().equals(CheckedLibrary.HOLDFAST) ? terms : terms.withoutLossReports();
    }

    private Thread progress(Phase phase, int seconds, CheckStage stage, FaultLog log) {
        long begin = System.nanoTime();
        Thread thread = new Thread(
                () -> {
                    try {
                        while (true) {
                            TimeUnit.MILLISECONDS.sleep(PROGRESS_MILLIS);
                            out.println(phase + ", " + (System.nanoTime() - begin) / 1_000_000_000 + " s of "
                                    + seconds + ": " + stage.grants() + " locks acquired, "
                                    + log.outages().size() + " faults");
                        }
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                "progress");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private void remove(RemoteServer server) {
        int removed = server.remove(prefix);
        out.println(
                removed < 0
                        ? "This user may not list keys (SCAN), so the keys of this check stay until they end, within ten minutes."
                        : "Removed " + removed + " keys.");
    }

    private static Path logs() {
        try {
            Path folder = Files.createTempDirectory("holdfast-check-");
            folder.toFile().deleteOnExit();
            return folder;
        } catch (IOException e) {
            throw new IllegalStateException("No folder for what the workers print", e);
        }
    }
}
