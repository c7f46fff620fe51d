package dev.holdfast.lock.test.spring;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.spring.boot.LockInterceptionConfiguration;
import dev.holdfast.lock.test.InMemoryLockClient;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/** An application of a few beans with locked methods, whose locks are in memory. */
final class LockedBeans implements AutoCloseable {

    private final InMemoryLockClient locks = InMemoryLockClient.create();
    private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

    LockedBeans(Class<?>... beans) {
        context.registerBean("locks", LockClient.class, () -> locks);
        context.register(LockInterceptionConfiguration.class);
        context.register(beans);
        context.refresh();
    }

    InMemoryLockClient locks() {
        return locks;
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    @Override
    public void close() {
        context.close();
        locks.close();
    }
}
