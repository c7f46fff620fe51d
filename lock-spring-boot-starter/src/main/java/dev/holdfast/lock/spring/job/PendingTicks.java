package dev.holdfast.lock.spring.job;

import dev.holdfast.lock.spring.declaration.DeclaredLocks;
import java.lang.reflect.Method;
import java.util.stream.Stream;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.scheduling.config.ScheduledTaskHolder;
import org.springframework.util.ClassUtils;

/**
 * Cancels scheduled runs of locked methods that have not begun when the context closes. Without this, Spring would start due runs until it
 * destroys the scheduler, although the lock client is closed before that.
 */
record PendingTicks(DeclaredLocks declared) implements ApplicationListener<ContextClosedEvent> {
    @Override
    public void onApplicationEvent(ContextClosedEvent event) {
        event.getApplicationContext().getBeansOfType(ScheduledTaskHolder.class).values().stream()
                .flatMap(holder -> holder.getScheduledTasks().stream())
                .filter(task -> declared.all().stream().anyMatch(lock -> isOf(task, lock.method())))
                .forEach(task -> task.cancel(false));
    }

    /** Returns whether a task calls the method. A task refers to it by its class, or by an interface if a JDK proxy is used. */
    private static boolean isOf(Object task, Method method) {
        String called = task.toString().replaceFirst("\\$\\$SpringCGLIB\\$\\$\\d+", "");
        Class<?> type = method.getDeclaringClass();
        return Stream.concat(Stream.of(type), Stream.of(ClassUtils.getAllInterfacesForClass(type)))
                .anyMatch(each -> called.equals(each.getName() + "." + method.getName()));
    }
}
