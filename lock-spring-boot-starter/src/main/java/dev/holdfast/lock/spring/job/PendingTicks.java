package dev.holdfast.lock.spring.job;

import dev.holdfast.lock.spring.declaration.DeclaredLocks;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.scheduling.config.ScheduledTaskHolder;

/**
 * Cancels scheduled runs of locked methods that have not begun when the context closes. Without this, Spring would start due runs until it
 * destroys the scheduler, although the lock client is closed before that.
 */
record PendingTicks(DeclaredLocks declared) implements ApplicationListener<ContextClosedEvent> {
    @Override
    public void onApplicationEvent(ContextClosedEvent event) {
        event.getApplicationContext().getBeansOfType(ScheduledTaskHolder.class).values().stream()
                .flatMap(holder -> holder.getScheduledTasks().stream())
                .filter(task -> declared.all().stream().anyMatch(lock -> ScheduledCalls.isOf(task, lock.method())))
                .forEach(task -> task.cancel(false));
    }
}
