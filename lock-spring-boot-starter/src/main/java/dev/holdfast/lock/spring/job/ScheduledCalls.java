package dev.holdfast.lock.spring.job;

import java.lang.reflect.Method;
import java.util.Optional;
import java.util.stream.Stream;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.scheduling.config.ScheduledTaskHolder;
import org.springframework.util.ClassUtils;

/** Finds out which tasks of Spring's scheduler call a method. */
final class ScheduledCalls {

    private ScheduledCalls() {}

    /** Returns whether a task calls the method. A task refers to it by its class, or by an interface if a JDK proxy is used. */
    static boolean isOf(Object task, Method method) {
        String called = task.toString().replaceFirst("\\$\\$SpringCGLIB\\$\\$\\d+", "");
        Class<?> type = method.getDeclaringClass();
        return Stream.concat(Stream.of(type), Stream.of(ClassUtils.getAllInterfacesForClass(type)))
                .anyMatch(each -> called.equals(each.getName() + "." + method.getName()));
    }

    /** Returns what the scheduler calls at a tick of the method, if anything schedules it. */
    public static Optional<Runnable> of(ListableBeanFactory beans, Method method) {
        return beans.getBeansOfType(ScheduledTaskHolder.class).values().stream()
                .flatMap(holder -> holder.getScheduledTasks().stream())
                .map(task -> task.getTask().getRunnable())
                .filter(task -> isOf(task, method))
                .findFirst();
    }
}
