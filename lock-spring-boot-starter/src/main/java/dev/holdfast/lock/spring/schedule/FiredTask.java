package dev.holdfast.lock.spring.schedule;

import java.lang.reflect.Method;
import java.util.Optional;
import java.util.concurrent.ScheduledFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.scheduling.SchedulingAwareRunnable;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.config.ScheduledTaskHolder;
import org.springframework.util.ClassUtils;

/** A task of Spring's scheduler. While it runs, its thread knows it, so that a call can tell whether the scheduler has made it. */
public final class FiredTask implements SchedulingAwareRunnable {

    private static final ThreadLocal<@Nullable FiredTask> CURRENT = new ThreadLocal<>();

    private final Runnable task;
    private final TaskScheduler scheduler;
    private final @Nullable Purpose purpose;

    /** Why a task runs at a time that is none of its schedule. */
    public interface Purpose {

        /** The task is about to run. Returns false if it need not run any more. */
        boolean begins();

        /** The task has ended, whatever it did. */
        void ended();
    }

    FiredTask(Runnable task, TaskScheduler scheduler, @Nullable Purpose purpose) {
        this.task = task;
        this.scheduler = scheduler;
        this.purpose = purpose;
    }

    /** Returns the task that runs on this thread, if it is that of the method; else null. */
    public static @Nullable FiredTask current(Method method) {
        FiredTask current = CURRENT.get();
        return current != null && calls(current.task, method) ? current : null;
    }

    /** Returns whether a task is that of a method. A task refers to it by its class, or by an interface if a JDK proxy is used. */
    public static boolean calls(Object task, Method method) {
        String called = task.toString().replaceFirst("\\$\\$SpringCGLIB\\$\\$\\d+", "");
        Class<?> type = method.getDeclaringClass();
        return Stream.concat(Stream.of(type), Stream.of(ClassUtils.getAllInterfacesForClass(type)))
                .anyMatch(each -> called.equals(each.getName() + "." + method.getName()));
    }

    /** Returns what the scheduler calls at a tick of the method, if anything schedules it. */
    public static Optional<Runnable> scheduled(ListableBeanFactory beans, Method method) {
        return beans.getBeansOfType(ScheduledTaskHolder.class).values().stream()
                .flatMap(holder -> holder.getScheduledTasks().stream())
                .map(task -> task.getTask().getRunnable())
                .filter(task -> calls(task, method))
                .findFirst();
    }

    /** Returns why the task runs now; null if its schedule says so. */
    public @Nullable Purpose purpose() {
        return purpose;
    }

    /** Lets the scheduler run the task once more, as soon as it has a thread. */
    public ScheduledFuture<?> fireAgain(Purpose why) {
        return scheduler.schedule(
                new FiredTask(task, scheduler, why), scheduler.getClock().instant());
    }

    @Override
    public void run() {
        if (purpose != null && !purpose.begins()) {
            return;
        }
        FiredTask outer = CURRENT.get();
        CURRENT.set(this);
        try {
            task.run();
        } finally {
            if (outer == null) {
                CURRENT.remove();
            } else {
                CURRENT.set(outer);
            }
            if (purpose != null) {
                purpose.ended();
            }
        }
    }

    @Override
    public boolean isLongLived() {
        return task instanceof SchedulingAwareRunnable aware && aware.isLongLived();
    }

    /** The name of the scheduler that the annotation asks for. */
    @Override
    public @Nullable String getQualifier() {
        return task instanceof SchedulingAwareRunnable aware ? aware.getQualifier() : null;
    }

    @Override
    public String toString() {
        return task.toString();
    }
}
