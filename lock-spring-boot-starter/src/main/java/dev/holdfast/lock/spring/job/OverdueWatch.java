package dev.holdfast.lock.spring.job;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.spring.LockPause;
import dev.holdfast.lock.spring.LockPauses;
import dev.holdfast.lock.spring.call.StarterThreads;
import dev.holdfast.lock.spring.job.KnownJobs.KnownJob;
import dev.holdfast.lock.spring.job.KnownJobs.KnownJob.Seen;
import dev.holdfast.lock.spring.job.TickRecord.Gap;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;
import org.springframework.util.function.SingletonSupplier;

/**
 * Looks soon after each tick whether it has begun on some instance, and warns once if it has not. A call of this instance that has found its tick
 * run has answered that already, so Redis is asked only at the start and when this instance does not know.
 */
final class OverdueWatch implements SmartLifecycle {

    private static final Log LOG = LogFactory.getLog(OverdueWatch.class);

    /** The shortest and the longest time between two looks. The schedule is asked again after the longest. */
    private static final Duration SOONEST = Duration.ofMillis(100);

    private static final Duration AGAIN = Duration.ofSeconds(10);
    private static final Duration LONGEST = Duration.ofMinutes(1);

    /**
     * A job whose tick should have begun and has not.
     *
     * @param since the first such tick
     * @param now the server's time
     * @param missed these ticks, the newest first, and why, as far as this instance knows
     */
    record Overdue(Instant since, Instant now, List<Gap> missed) {

        Duration time() {
            return Duration.between(since, now);
        }

        String describe() {
            Gap first = missed.get(missed.size() - 1);
            return "the tick of " + since + " has not begun, " + LogText.time(Duration.ofSeconds(time().toSeconds()))
                    + " later (" + first.reason() + ")";
        }
    }

    private final Supplier<LockClient> client;
    private final KnownJobs known;
    private final Supplier<@Nullable LockPauses> pauses;
    private final Set<String> warned = ConcurrentHashMap.newKeySet();
    private @Nullable CompletableFuture<@Nullable Void> next;
    private boolean running;
    /** Whether the next look comes as soon as it can. More jobs that become known do not delay it. */
    private boolean soon;

    OverdueWatch(Supplier<LockClient> client, KnownJobs known, Supplier<@Nullable LockPauses> pauses) {
        this.client = client;
        this.known = known;
        this.pauses = pauses;
    }

    @Override
    public synchronized void start() {
        running = true;
        known.onAdded(this::lookSoon);
        lookSoon();
    }

    @Override
    public synchronized void stop() {
        running = false;
        soon = false;
        replace(null);
    }

    @Override
    public synchronized boolean isRunning() {
        return running;
    }

    private synchronized void lookSoon() {
        if (!soon && !known.all().isEmpty()) {
            schedule(SOONEST);
        }
    }

    private synchronized void schedule(Duration delay) {
        if (running) {
            CompletableFuture<@Nullable Void> timer = new CompletableFuture<>();
            replace(timer);
            soon = delay.equals(SOONEST);
            StarterThreads.limit(timer, delay).thenRunAsync(this::look, StarterThreads.threadFor("holdfast-overdue"));
        }
    }

    private void replace(@Nullable CompletableFuture<@Nullable Void> timer) {
        if (next != null) {
            next.cancel(false);
        }
        next = timer;
    }

    private void look() {
        synchronized (this) {
            soon = false;
        }
        warned.removeIf(name -> !known.has(name));
        Duration soonest = LONGEST;
        Supplier<Set<String>> paused = SingletonSupplier.of(this::paused);
        for (KnownJob job : known.all()) {
            try {
                Duration wait = look(job, paused);
                soonest = wait.compareTo(soonest) < 0 ? wait : soonest;
            } catch (RuntimeException e) {
                LOG.warn("Cannot tell whether job '" + LogText.escape(job.lockName()) + "' is overdue: " + e);
            }
        }
        schedule(soonest.compareTo(SOONEST) < 0 ? SOONEST : soonest);
    }

    /** Returns the time until the next look. */
    private Duration look(KnownJob job, Supplier<Set<String>> paused) {
        Overdue overdue = overdue(job);
        if (overdue != null || job.seen() == null) {
            read(job, paused);
            overdue = overdue(job);
        }
        if (overdue == null) {
            if (warned.remove(job.lockName())) {
                LOG.info("Job '" + LogText.escape(job.lockName()) + "' is no longer overdue");
            }
            Instant now = job.now();
            Instant tick = job.next(now.minus(job.late(now)));
            return tick == null ? LONGEST : Duration.between(now, tick.plus(job.late(tick)));
        }
        if (warned.add(job.lockName())) {
            LOG.warn("Job '" + LogText.escape(job.lockName()) + "' is overdue: " + overdue.describe()
                    + ". No instance has begun it");
        }
        return AGAIN;
    }

    private void read(KnownJob job, Supplier<Set<String>> paused) {
        try {
            job.read(client.get());
            if (paused.get().contains(job.operation().name())) {
                job.refused(KnownJob.PAUSED);
            }
        } catch (RuntimeException notAnswered) {
            LOG.debug("Redis did not say whether job '" + LogText.escape(job.lockName()) + "' is overdue", notAnswered);
        }
    }

    /** Returns the names of paused locks. Asks Redis only if a lock can be paused. */
    private Set<String> paused() {
        LockPauses found = pauses.get();
        return found == null
                ? Set.of()
                : found.all().stream().map(LockPause::name).collect(Collectors.toSet());
    }

    /** Returns what this instance knows without a request. */
    static @Nullable Overdue overdue(KnownJob job) {
        Seen seen = job.seen();
        return seen == null ? null : overdue(job, seen.record().newest(), seen.now());
    }

    /** Returns what a record says at the time when it was read. */
    static @Nullable Overdue overdue(KnownJob job, Seen seen) {
        return overdue(job, seen.record().newest(), seen.time());
    }

    private static @Nullable Overdue overdue(KnownJob job, @Nullable Instant newest, Instant now) {
        Instant known = newest == null ? job.since() : newest;
        Instant first = job.next(known);
        if (first == null) {
            return null;
        }
        Instant limit = now.minus(job.late(first)).plusMillis(1);
        List<Gap> missed = job.missed(known, limit);
        Instant since = missed.stream()
                .filter(each -> !each.reason().equals(KnownJob.PAUSED))
                .map(Gap::tick)
                .reduce((newer, older) -> older)
                .orElse(null);
        return since == null ? null : new Overdue(since, now, missed);
    }

    /** Returns the longest time since a tick of a job with this name should have begun, in seconds. */
    double seconds(String name) {
        return known.all().stream()
                .filter(job -> job.operation().name().equals(name))
                .flatMap(job -> Stream.ofNullable(overdue(job)))
                .mapToDouble(overdue -> overdue.time().toMillis() / 1_000.0)
                .max()
                .orElse(0);
    }
}
