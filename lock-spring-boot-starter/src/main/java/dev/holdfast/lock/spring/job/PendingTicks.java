package dev.holdfast.lock.spring.job;

import dev.holdfast.lock.spring.declaration.DeclaredLocks;
import java.lang.reflect.Method;
import java.util.Set;
import java.util.stream.Collectors;
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
        Set<String> locked =
                declared.all().stream().flatMap(lock -> names(lock.method())).collect(Collectors.toSet());
        event.getApplicationContext().getBeansOfType(ScheduledTaskHolder.class).values().stream()
                .flatMap(holder -> holder.getScheduledTasks().stream())
                .filter(task -> locked.contains(task.toString().replaceFirst("\\$\\$SpringCGLIB\\$\\$\\d+", "")))
                .forEach(task -> task.cancel(false));
    }

    /** Returns the names by which a scheduled task may refer to its method: by its class, or by an interface if a JDK proxy is used. */
    private static Stream<String> names(Method method) {
        Class<?> type = method.getDeclaringClass();
        return Stream.concat(Stream.of(type), Stream.of(ClassUtils.getAllInterfacesForClass(type)))
                .map(each -> each.getName() + "." + method.getName());
    }
}
