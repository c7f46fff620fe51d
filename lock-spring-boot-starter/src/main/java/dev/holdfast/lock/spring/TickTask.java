package dev.holdfast.lock.spring;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.TriggerContext;
import org.springframework.scheduling.config.TriggerTask;

/**
 * A task that is told for which tick its trigger fires it, for a schedule that is no annotation: a cron expression from a database, or a {@link Trigger}
 * bean. The job passes the tick on to a method that has a {@link OncePerTick#tick()}: {@code registrar.addTriggerTask(new TickTask(billing::bill,
 * new CronTrigger(cron)))}.
 *
 * <p>The trigger must give the same times on all instances, as a cron trigger does. Each task needs a trigger of its own.
 */
public final class TickTask extends TriggerTask {

    /**
     * Creates a task.
     *
     * @param job receives the tick, at each time that the trigger gives
     * @param trigger the schedule
     */
    public TickTask(Consumer<Instant> job, Trigger trigger) {
        this(job, new Ticking(trigger));
    }

    private TickTask(Consumer<Instant> job, Ticking ticking) {
        super(() -> job.accept(ticking.tick()), ticking);
    }

    /** Remembers the times that a trigger gives, until they come. A scheduler may ask for the next one before the present one runs. */
    private static final class Ticking implements Trigger {

        /** A scheduler may fire so much earlier than its clock shows the time. */
        private static final Duration EARLY = Duration.ofMillis(50);

        private final Trigger trigger;
        private final Deque<Instant> ahead = new ArrayDeque<>();
        private @Nullable Instant last;

        Ticking(Trigger trigger) {
            this.trigger = trigger;
        }

        @Override
        public @Nullable Instant nextExecution(TriggerContext context) {
            Instant next = trigger.nextExecution(context);
            if (next != null) {
                synchronized (this) {
                    ahead.add(next);
                }
            }
            return next;
        }

        /** Returns the latest time that has come. */
        synchronized Instant tick() {
            Instant now = Instant.now().plus(EARLY);
            while (!ahead.isEmpty() && (last == null || !ahead.getFirst().isAfter(now))) {
                last = ahead.removeFirst();
            }
            if (last == null) {
                throw new IllegalStateException("The task ran before its trigger was asked for a time");
            }
            return last;
        }
    }
}
