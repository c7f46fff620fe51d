package dev.holdfast.lock.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.fixture.Database;
import dev.holdfast.lock.spring.fixture.Locked;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionTemplate;

/** What the README says of locks beside caches, REQUIRES_NEW and listeners of transactions. */
class CacheAndTransactionTest {

    private static final List<String> LOG = new CopyOnWriteArrayList<>();

    @AutoClose
    private static Locked app;

    private static Shop shop;
    private static TransactionTemplate transaction;

    @BeforeAll
    static void start() {
        app = Locked.application(Database.class, Caches.class, Shop.class, Listeners.class);
        shop = app.bean(Shop.class);
        transaction = app.bean(TransactionTemplate.class);
    }

    @BeforeEach
    void forget() {
        LOG.clear();
    }

    @Test
    void cacheHitStillAcquiresTheLock() {
        long before = app.locks().statistics().acquired();
        shop.price("7");
        shop.price("7");
        assertThat(LOG).containsExactly("read 7");
        assertThat(app.locks().statistics().acquired() - before).isEqualTo(2);
    }

    @Test
    void lockOfARequiresNewMethodIsHeldUntilTheOuterTransactionEnds() {
        transaction.executeWithoutResult(outer -> {
            shop.requiresNew("7");
            assertThat(app.isHeld("new:7")).isTrue();
        });
        assertThat(app.isHeld("new:7")).isFalse();
    }

    @Test
    void listenerAfterTheCommitCanHaveALockOfItsOwn() {
        transaction.executeWithoutResult(status -> shop.order("7"));
        assertThat(LOG).containsExactly("after the commit: own lock held true");
        assertThat(app.isHeld("order:7")).isFalse();
        assertThat(app.isHeld("mail:7")).isFalse();
    }

    record Ordered(String id) {}

    static class Shop {

        private final ApplicationEventPublisher events;

        Shop(ApplicationEventPublisher events) {
            this.events = events;
        }

        @Cacheable("prices")
        @DistributedLock(name = "price", key = "#id")
        public String price(String id) {
            LOG.add("read " + id);
            return "price of " + id;
        }

        @Transactional(propagation = Propagation.REQUIRES_NEW)
        @DistributedLock(name = "new", key = "#id")
        public void requiresNew(String id) {}

        @DistributedLock(name = "order", key = "#id")
        public void order(String id) {
            events.publishEvent(new Ordered(id));
        }
    }

    static class Listeners {

        @TransactionalEventListener
        @DistributedLock(name = "mail", key = "#event.id")
        public void underALockOfItsOwn(Ordered event) {
            LOG.add("after the commit: own lock held " + app.isHeld("mail:" + event.id()));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableCaching
    static class Caches {

        @Bean
        CacheManager caches() {
            return new ConcurrentMapCacheManager();
        }
    }
}
