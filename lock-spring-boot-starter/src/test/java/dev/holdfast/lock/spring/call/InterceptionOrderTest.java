package dev.holdfast.lock.spring.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.fixture.Locked;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;

/** The position of the lock among the other advisors of a method. */
class InterceptionOrderTest {

    /** Where Spring Security's checks of methods stand, the last of them. */
    private static final int SECURITY = 600;

    private static final List<String> LOG = new CopyOnWriteArrayList<>();

    @AutoClose
    private static Locked app;

    private static Shop shop;

    @BeforeAll
    static void start() {
        app = Locked.application(Surroundings.class, Shop.class);
        shop = app.bean(Shop.class);
    }

    @Test
    void lockIsInsideSecurity() {
        LOG.clear();
        shop.secured();
        assertThat(LOG).containsExactly("checked under no lock", "body");
    }

    @Test
    void eachAttemptOfARetryTakesALockOfItsOwn() {
        List<Long> tokens = new ArrayList<>();
        shop.retried(tokens);
        assertThat(tokens).hasSize(3).doesNotHaveDuplicates().isSorted();
    }

    @Test
    void busyCallIsRetriedUnlessTheAnnotationExcludesIt() {
        try (Lease lease = app.locks().getLock("order-busy").acquire()) {
            List<String> attempts = new ArrayList<>();
            assertThatThrownBy(() -> shop.retriedWhileBusy(attempts)).isInstanceOf(LockNotAcquiredException.class);
            assertThat(attempts).hasSize(3);
            attempts.clear();
            assertThatThrownBy(() -> shop.notRetriedWhileBusy(attempts)).isInstanceOf(LockNotAcquiredException.class);
            assertThat(attempts).hasSize(1);
            attempts.clear();
            assertThatThrownBy(() -> shop.retriedUnlessBusy(attempts)).isInstanceOf(LockNotAcquiredException.class);
            assertThat(attempts).hasSize(1);
            assertThat(lease.isHeld()).isTrue();
        }
    }

    /** The application's own annotation, which excludes a busy lock once for all methods. */
    @Retention(RetentionPolicy.RUNTIME)
    @Retryable(maxRetries = 2, delay = 1, excludes = LockNotAcquiredException.class)
    @interface RetryableUnlessBusy {}

    static class Shop {

        @DistributedLock(name = "order-secured")
        public void secured() {
            LOG.add("body");
        }

        @Retryable(maxRetries = 2, delay = 1)
        @DistributedLock(name = "order-retried")
        public void retried(List<Long> tokens) {
            tokens.add(LockContext.current().fencingToken());
            if (tokens.size() < 3) {
                throw new IllegalStateException("again");
            }
        }

        @Retryable(maxRetries = 2, delay = 1)
        @DistributedLock(name = "order-busy", waitTime = "0", fallback = "count")
        public void retriedWhileBusy(List<String> attempts) {}

        @Retryable(maxRetries = 2, delay = 1, excludes = LockNotAcquiredException.class)
        @DistributedLock(name = "order-busy", waitTime = "0", fallback = "count")
        public void notRetriedWhileBusy(List<String> attempts) {}

        @RetryableUnlessBusy
        @DistributedLock(name = "order-busy", waitTime = "0", fallback = "count")
        public void retriedUnlessBusy(List<String> attempts) {}

        void count(List<String> attempts, LockNotAcquiredException busy) {
            attempts.add(busy.lockName());
            throw busy;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableResilientMethods
    static class Surroundings {
        /** Stands for a check of the caller's rights. */
        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        DefaultPointcutAdvisor security() {
            NameMatchMethodPointcut pointcut = new NameMatchMethodPointcut();
            pointcut.addMethodName("secured");
            MethodInterceptor check = invocation -> {
                LOG.add(LockContext.find().isEmpty() ? "checked under no lock" : "checked under a lock");
                return invocation.proceed();
            };
            DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(pointcut, check);
            advisor.setOrder(SECURITY);
            return advisor;
        }
    }
}
