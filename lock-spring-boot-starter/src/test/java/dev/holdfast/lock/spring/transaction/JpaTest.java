package dev.holdfast.lock.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.fixture.Database;
import dev.holdfast.lock.spring.fixture.Locked;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.PersistenceContext;
import jakarta.persistence.Version;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.orm.ObjectOptimisticLockingFailureException;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.support.OpenEntityManagerInViewInterceptor;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.context.request.ServletWebRequest;

/**
 * What JPA's session does to an update under a lock, and each remedy of the manual. One web request reads a counter, then another request
 * increments it, then the first one does.
 */
class JpaTest {

    @AutoClose
    private static final Locked app = Locked.application(Persistence.class, Counters.class);

    private static final Counters counters = app.bean(Counters.class);
    private static final OpenEntityManagerInViewInterceptor openInView = new OpenEntityManagerInViewInterceptor();

    @BeforeAll
    static void start() {
        openInView.setEntityManagerFactory(app.bean(EntityManagerFactory.class));
    }

    @BeforeEach
    void reset() {
        counters.reset();
    }

    @Test
    void openSessionLosesAnIncrementThoughTheLockIsHeld() {
        inOpenSession(() -> {
            counters.read();
            elsewhere(counters::increment);
            counters.increment();
        });
        assertThat(counters.read()).isEqualTo(1);
    }

    @Test
    void newTransactionInAnOpenSessionLosesOneToo() {
        inOpenSession(() -> {
            counters.read();
            elsewhere(counters::increment);
            counters.incrementInANewTransaction();
        });
        assertThat(counters.read()).isEqualTo(1);
    }

    @Test
    void withoutAnOpenSessionNoneIsLost() {
        counters.read();
        elsewhere(counters::increment);
        counters.increment();
        assertThat(counters.read()).isEqualTo(2);
    }

    @Test
    void whereNothingWasReadBeforeTheLockNoneIsLost() {
        inOpenSession(() -> {
            elsewhere(counters::increment);
            counters.increment();
        });
        assertThat(counters.read()).isEqualTo(2);
    }

    @Test
    void whereTheEntityIsRefreshedInsideTheLockNoneIsLost() {
        inOpenSession(() -> {
            counters.read();
            elsewhere(counters::increment);
            counters.refreshAndIncrement();
        });
        assertThat(counters.read()).isEqualTo(2);
    }

    @Test
    void versionTurnsALostIncrementIntoAnException() {
        inOpenSession(() -> {
            counters.readVersioned();
            elsewhere(counters::incrementVersioned);
            assertThatExceptionOfType(ObjectOptimisticLockingFailureException.class)
                    .isThrownBy(counters::incrementVersioned);
        });
        assertThat(counters.readVersioned()).isEqualTo(1);
    }

    /** As Spring Boot does for each web request, unless {@code spring.jpa.open-in-view} is false. */
    private static void inOpenSession(Runnable request) {
        ServletWebRequest web = new ServletWebRequest(new MockHttpServletRequest());
        openInView.preHandle(web);
        try {
            request.run();
        } finally {
            openInView.afterCompletion(web, null);
        }
    }

    /** In another request, which has a session of its own. */
    private static void elsewhere(Runnable increment) {
        CompletableFuture.runAsync(() -> inOpenSession(increment)).join();
    }

    @Entity(name = "Counter")
    static class Counter {
        @Id
        long id;

        int count;
    }

    @Entity(name = "VersionedCounter")
    static class VersionedCounter {
        @Id
        long id;

        @Version
        long version;

        int count;
    }

    static class Counters {

        @PersistenceContext
        private EntityManager entities;

        @Transactional
        public void reset() {
            entities.createQuery("delete from Counter").executeUpdate();
            entities.createQuery("delete from VersionedCounter").executeUpdate();
            entities.persist(new Counter());
            entities.persist(new VersionedCounter());
        }

        @Transactional(readOnly = true)
        public int read() {
            return counter().count;
        }

        @Transactional
        @DistributedLock(name = "counter")
        public void increment() {
            counter().count++;
        }

        @Transactional(propagation = Propagation.REQUIRES_NEW)
        @DistributedLock(name = "counter")
        public void incrementInANewTransaction() {
            counter().count++;
        }

        @Transactional
        @DistributedLock(name = "counter")
        public void refreshAndIncrement() {
            Counter counter = counter();
            entities.refresh(counter);
            counter.count++;
        }

        @Transactional(readOnly = true)
        public int readVersioned() {
            return versioned().count;
        }

        @Transactional
        @DistributedLock(name = "counter")
        public void incrementVersioned() {
            versioned().count++;
        }

        private Counter counter() {
            return entities.find(Counter.class, 0L);
        }

        private VersionedCounter versioned() {
            return entities.find(VersionedCounter.class, 0L);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class Persistence {

        @Bean
        DataSource dataSource() {
            return Database.empty();
        }

        @Bean
        LocalContainerEntityManagerFactoryBean entityManagerFactory(DataSource dataSource) {
            HibernateJpaVendorAdapter hibernate = new HibernateJpaVendorAdapter();
            hibernate.setGenerateDdl(true);
            LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
            factory.setDataSource(dataSource);
            factory.setJpaVendorAdapter(hibernate);
            factory.setManagedTypes(
                    PersistenceManagedTypes.of(Counter.class.getName(), VersionedCounter.class.getName()));
            return factory;
        }

        @Bean
        JpaTransactionManager transactionManager(EntityManagerFactory factory) {
            return new JpaTransactionManager(factory);
        }
    }
}
