package dev.holdfast.lock.spring.call;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.fixture.Locked;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.support.ContextPropagatingTaskDecorator;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

/** An application with {@code @Async} methods, on an executor that carries the context and on one that does not. */
class AsyncMethodsTest {

    private static final Duration PATIENCE = Await.PATIENCE;

    @AutoClose
    private static final Locked app = Locked.application(Workers.class, Mails.class, Orders.class);

    private static final Mails mails = app.bean(Mails.class);

    @Test
    void workerHoldsTheLockWhileTheMethodRuns() {
        assertThat(mails.send("held")).succeedsWithin(PATIENCE).isEqualTo("worker-1 under mail:held");
        assertThat(app.isHeld("mail:held")).isFalse();
    }

    @Test
    void busyLockFailsTheFutureAndNotTheCaller() {
        try (Lease other = app.locks().getLock("mail:busy").acquire()) {
            assertThat(mails.send("busy"))
                    .failsWithin(PATIENCE)
                    .withThrowableOfType(ExecutionException.class)
                    .withCauseInstanceOf(LockNotAcquiredException.class);
            assertThat(other.isHeld()).isTrue();
        }
    }

    @Test
    void methodOnAnExecutorThatCarriesTheContextReentersTheCallersLock() {
        assertThat(app.bean(Orders.class).sendCarried("carried")).isEqualTo("carrying-1 under mail:carried");
    }

    @Test
    void methodOnAPlainExecutorIsAnotherCaller() {
        assertThat(app.bean(Orders.class).sendPlain("plain")).isEqualTo("busy");
    }

    static class Mails {

        @Async("worker")
        @DistributedLock(name = "mail", key = "#id")
        public CompletableFuture<String> send(String id) {
            return CompletableFuture.completedFuture(where());
        }

        @Async("carrying")
        @DistributedLock(name = "mail", key = "#id")
        public CompletableFuture<String> sendCarried(String id) {
            return CompletableFuture.completedFuture(where());
        }

        private static String where() {
            return Thread.currentThread().getName() + " under "
                    + LockContext.current().lockName();
        }
    }

    static class Orders {

        private final Mails mails;

        Orders(Mails mails) {
            this.mails = mails;
        }

        @DistributedLock(name = "mail", key = "#id")
        public String sendCarried(String id) {
            return mails.sendCarried(id).join();
        }

        @DistributedLock(name = "mail", key = "#id")
        public String sendPlain(String id) {
            return mails.send(id).exceptionally(failure -> "busy").join();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    static class Workers {

        @Bean
        ThreadPoolTaskExecutor worker() {
            return executor("worker-");
        }

        @Bean
        ThreadPoolTaskExecutor carrying() {
            ThreadPoolTaskExecutor executor = executor("carrying-");
            executor.setTaskDecorator(new ContextPropagatingTaskDecorator());
            return executor;
        }

        private static ThreadPoolTaskExecutor executor(String prefix) {
            ThreadPoolTaskExecutor executor = new ThreadPoolTaskExecutor();
            executor.setCorePoolSize(1);
            executor.setThreadNamePrefix(prefix);
            return executor;
        }
    }
}
