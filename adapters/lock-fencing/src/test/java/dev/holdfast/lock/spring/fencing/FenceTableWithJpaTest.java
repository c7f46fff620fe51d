package dev.holdfast.lock.spring.fencing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.lock.spring.fencing.FencedStock.Article;
import dev.holdfast.lock.spring.fencing.FencedStock.InMemory;
import dev.holdfast.lock.spring.fencing.FencedStock.Persistence;
import dev.holdfast.lock.spring.fixture.Locked;
import jakarta.persistence.EntityManager;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.TransactionTemplate;

/** What no version of an entity protects: inserts and queries that write, with Hibernate. */
@TestInstance(Lifecycle.PER_CLASS)
class FenceTableWithJpaTest {

    @AutoClose
    private final Locked app = new Locked(
            FenceTableTest.FENCED, InMemory.class, Persistence.class, Schema.class, FenceTableTest.Work.class);

    private final FenceTableTest.Work work = app.bean(FenceTableTest.Work.class);
    private final JdbcTemplate jdbc = app.bean(JdbcTemplate.class);
    private final EntityManager entities = SharedEntityManagerCreator.createSharedEntityManager(
            app.bean(jakarta.persistence.EntityManagerFactory.class));

    @BeforeEach
    void fill() {
        jdbc.update("delete from Article");
        jdbc.update("insert into Article (id, pieces, note, fence) values ('lamp', 1, '', 0)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"update Article set pieces = 100", "delete from Article"})
    void queryThatWritesIsRefusedForAStaleHolder(String query) {
        assertRefused(entities -> entities.createQuery(query).executeUpdate());
        assertRefused(entities -> entities.createNativeQuery(query).executeUpdate());
    }

    @Test
    void insertIsRefusedForAStaleHolder() {
        assertRefused(entities -> {
            entities.persist(new Article("chair"));
            entities.flush();
        });
    }

    @Test
    void flushAtTheCommitIsRefusedForAStaleHolder() {
        TransactionTemplate transaction = app.bean(TransactionTemplate.class);
        underALockThatHasPassedOn(() -> assertThatExceptionOfType(TransactionSystemException.class)
                .isThrownBy(() -> transaction.executeWithoutResult(status -> entities.persist(new Article("chair"))))
                .withRootCauseInstanceOf(OptimisticLockingFailureException.class));
    }

    private void assertRefused(Consumer<EntityManager> write) {
        TransactionTemplate transaction = app.bean(TransactionTemplate.class);
        underALockThatHasPassedOn(() -> assertThatExceptionOfType(OptimisticLockingFailureException.class)
                .isThrownBy(() -> transaction.executeWithoutResult(status -> write.accept(entities)))
                .withMessageContaining("A later holder of the lock 'stock:all' has already written"));
    }

    private void underALockThatHasPassedOn(Runnable check) {
        work.under("all", () -> {
            app.locks().forceRelease("stock:all");
            CompletableFuture.runAsync(() -> work.under(
                            "all",
                            () -> app.bean(TransactionTemplate.class)
                                    .executeWithoutResult(status -> entities.find(Article.class, "lamp"))))
                    .join();
            check.run();
        });
        assertThat(jdbc.queryForList("select pieces from Article", Integer.class))
                .containsExactly(1);
    }

    @Configuration(proxyBeanMethods = false)
    static class Schema {

        @Bean
        InitializingBean fenceTable(DataSource source) {
            return () -> FenceTableTest.Schema.create(source);
        }
    }
}
