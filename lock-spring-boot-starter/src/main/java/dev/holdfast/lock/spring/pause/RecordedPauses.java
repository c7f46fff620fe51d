package dev.holdfast.lock.spring.pause;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.spring.LockPause;
import dev.holdfast.lock.spring.LockPaused;
import dev.holdfast.lock.spring.LockPausedException;
import dev.holdfast.lock.spring.LockPauses;
import dev.holdfast.lock.spring.LockResumed;
import dev.holdfast.lock.spring.call.Announcement;
import dev.holdfast.lock.spring.call.AroundLock;
import dev.holdfast.lock.spring.call.AroundLock.LockCall;
import dev.holdfast.lock.spring.call.LockFeature;
import dev.holdfast.lock.spring.call.Refusal;
import dev.holdfast.lock.spring.declaration.Declaration;
import dev.holdfast.lock.spring.declaration.DeclaredLocks;
import dev.holdfast.lock.spring.declaration.DeclaredLocks.DeclaredLock;
import dev.holdfast.lock.spring.declaration.FeatureReport;
import dev.holdfast.lock.spring.declaration.KeyExpression;
import dev.holdfast.lock.spring.declaration.LockOperation;
import dev.holdfast.lock.spring.declaration.LockSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationEventPublisher;

/** Pauses declared locks. A log line and an application event record who did. */
public record RecordedPauses(Supplier<LockClient> client, DeclaredLocks declared, ApplicationEventPublisher events)
        implements LockPauses, FeatureReport {

    private static final Log LOG = LogFactory.getLog(RecordedPauses.class);
    private static final Duration MIN_TIME = Duration.ofSeconds(1);
    private static final int MAX_BY = 100;

    /** Lets the calls of a lock that can be paused ask whether it is. */
    public static @Nullable LockFeature feature(LockOperation operation) {
        return isPausable(operation.settings()) ? new PausableOperation(operation) : null;
    }

    @Override
    public LockPause pause(String name, Duration time, @Nullable String by, String reason) {
        if (!pausable().contains(name)) {
            throw new IllegalArgumentException("No lock '" + LogText.escape(name)
                    + "' of this application can be paused. Set holdfast.pausable for all @Scheduled methods, or"
                    + " holdfast.locks.<name>.pausable, on all instances");
        }
        if (time.compareTo(MIN_TIME) < 0 || time.compareTo(MAX_TIME) > 0) {
            throw new IllegalArgumentException("A pause must last between " + LogText.time(MIN_TIME) + " and "
                    + LogText.time(MAX_TIME) + ", was " + LogText.time(time));
        }
        KeyExpression.checkLine("The reason", reason, MAX_REASON);
        String who = by == null ? null : shortened(by);
        if (who != null) {
            KeyExpression.checkLine("The name of who pauses", who, MAX_BY);
        }
        List<LockPause> made = new ArrayList<>(1);
        var unused = change("pause", name, who, now -> {
            made.add(new LockPause(name, now.plus(time), who, reason));
            return made.get(0);
        });
        LockPause pause = made.get(0);
        LOG.warn(lock(name) + " is " + pause.describe() + ". Its methods do not run on any instance");
        Announcement.publish(events, new LockPaused(pause), LOG);
        return pause;
    }

    @Override
    public boolean resume(String name, @Nullable String by) {
        LockPause before = change("resume", name, by, now -> null).orElse(null);
        if (before == null) {
            LOG.info(lock(name) + " was not paused. " + caller(by) + " wanted to resume it");
            return false;
        }
        LOG.warn(lock(name) + " is resumed. " + caller(by) + " ended its pause. It was " + before.describe());
        Announcement.publish(events, new LockResumed(before, by), LOG);
        return true;
    }

    @Override
    public List<LockPause> all() {
        return pausable().isEmpty() ? List.of() : new PauseRecord(client.get()).all();
    }

    @Override
    public SortedSet<String> pausable() {
        return declared.all().stream()
                .filter(lock -> isPausable(lock.settings()))
                .map(DeclaredLock::name)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Returns whether each run asks Redis for pauses. Methods that run without their lock do not. */
    static boolean isPausable(LockSettings settings) {
        return Boolean.TRUE.equals(settings.pausable()) && !Boolean.TRUE.equals(settings.bypass());
    }

    private Optional<LockPause> change(
            String verb, String name, @Nullable String by, Function<Instant, @Nullable LockPause> pauseAt) {
        try {
            return new PauseRecord(client.get()).replace(name, pauseAt);
        } catch (LockException e) {
            LOG.warn(caller(by) + " wanted to " + verb + " lock '" + LogText.escape(name) + "'"
                    + ", and it is unknown whether that has happened: " + e.getMessage());
            throw e;
        }
    }

    /** Returns the name without its middle if it is too long. The name of a role says at its end who has it. */
    private static String shortened(String by) {
        String gap = "...";
        int half = (MAX_BY - gap.length()) / 2;
        return by.length() <= MAX_BY
                ? by
                : by.substring(0, MAX_BY - gap.length() - half) + gap + by.substring(by.length() - half);
    }

    private static String caller(@Nullable String by) {
        return by == null ? "An unknown caller" : "'" + LogText.escape(by) + "'";
    }

    private static String lock(String name) {
        return "Lock '" + LogText.escape(name) + "'";
    }

    @Override
    public Map<String, Object> health() {
        List<String> paused = all().stream()
                .map(pause -> LogText.escape(pause.name()) + ": " + pause.describe())
                .toList();
        return paused.isEmpty() ? Map.of() : Map.of("paused", paused);
    }

    /** A lock whose calls can be paused. */
    private record PausableOperation(LockOperation operation) implements LockFeature {

        /** A call asks under its lock, so that one that has waited for the lock learns of a pause that was set in the meantime. */
        @Override
        public AroundLock around(LockCall call) {
            return new AroundLock() {
                @Override
                public CompletableFuture<?> whenHeld(Lease lease, boolean blocking) {
                    return new PauseRecord(call.client())
                            .find(operation.name(), blocking)
                            .thenAccept(found -> found.ifPresent(pause -> refuse(call, pause)));
                }
            };
        }

        private void refuse(LockCall call, LockPause pause) {
            throw new Refusal.ByFeature(new LockPausedException(call.names().get(0), pause), "paused", skips());
        }

        /** Returns whether a paused call returns nothing. Nobody waits for the result of a scheduled method. */
        @Override
        public boolean skips() {
            return operation.skipsBusy()
                    || (operation.fallback() == null && Declaration.isScheduled(operation.method()));
        }
    }
}
