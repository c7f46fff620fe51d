package dev.holdfast.lock.spring.schedule;

import java.util.concurrent.CompletableFuture;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.SchedulingConfigurer;
import org.springframework.scheduling.config.ScheduledTaskRegistrar;

/** Lets the application's scheduler fire {@link FiredTask}s, at their ticks and at other times. */
public final class FiredTasks implements SchedulingConfigurer {

    /** Complete when the application schedules its tasks, which is at the end of its start. */
    private final CompletableFuture<TaskScheduler> scheduler = new CompletableFuture<>();

    FiredTasks() {}

    @Override
    public void configureTasks(ScheduledTaskRegistrar registrar) {
        TaskScheduler own = registrar.getScheduler();
        if (own != null) {
            TaskScheduler firing = new FiringScheduler(own);
            registrar.setTaskScheduler(firing);
            scheduler.complete(firing);
        }
    }

    /** Lets the scheduler run a task once, as soon as it has a thread: as at a tick of its schedule. */
    public void fire(Runnable task) {
        scheduler.thenAccept(firing -> firing.schedule(task, firing.getClock().instant()));
    }
}
