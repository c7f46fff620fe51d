package dev.holdfast.lock.spring.fencing;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.OnLost;
import dev.holdfast.lock.spring.fixture.Database;
import jakarta.persistence.ElementCollection;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.LockModeType;
import jakarta.persistence.PersistenceContext;
import jakarta.persistence.Version;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.hibernate.annotations.OptimisticLock;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** A stock whose articles are entities that a lock fences, with Hibernate. */
final class FencedStock {

    private FencedStock() {}

    @Entity(name = "Article")
    static class Article {
        @Id
        String id;

        int pieces;

        @OptimisticLock(excluded = true)
        String note = "";

        @ElementCollection
        @OptimisticLock(excluded = true)
        Set<String> tags = new HashSet<>();

        @Version
        @FencedBy(name = "stock", key = "id")
        Long fence;

        Article() {
            this("");
        }

        Article(String id) {
            this.id = id;
        }
    }

    @EnableAsync
    static class Stock {

        @PersistenceContext
        private EntityManager entities;

        @Transactional
        @DistributedLock(name = "stock", key = "#id", onLost = OnLost.REPORT)
        public long change(String id, Consumer<Article> change) {
            change.accept(entities.find(Article.class, id));
            return LockContext.current().fencingToken();
        }

        @DistributedLock(name = "stock", key = "#id", onLost = OnLost.REPORT)
        public long changeInside(String id, Consumer<String> change) {
            change.accept(id);
            return LockContext.current().fencingToken();
        }

        @Transactional
        @DistributedLock(name = "stock", key = "#id", onLost = OnLost.REPORT)
        public void changeAfter(Runnable pause, String id, Consumer<Article> change) {
            pause.run();
            change.accept(entities.find(Article.class, id));
        }

        @Transactional
        @DistributedLock(name = "stock", key = "#id")
        public long insert(String id) {
            entities.persist(new Article(id));
            return LockContext.current().fencingToken();
        }

        @DistributedLock(name = "stock", key = "#id", releaseAfterTransaction = false)
        public void changeAndReleaseEarly(String id) {
            entities.find(Article.class, id).pieces = 3;
        }

        @Transactional
        @DistributedLock(name = "stock", keys = "{#from, #to}")
        public long move(String from, String to) {
            entities.find(Article.class, from).pieces--;
            entities.find(Article.class, to).pieces++;
            return LockContext.current().fencingToken();
        }

        @Async
        @Transactional
        @DistributedLock(name = "stock", key = "#id")
        public CompletableFuture<Void> changeLater(String id) {
            entities.find(Article.class, id).pieces = 11;
            return CompletableFuture.completedFuture(null);
        }

        @Transactional
        @DistributedLock(name = "stock", key = "#id")
        public void touch(String id) {
            entities.find(Article.class, id, LockModeType.OPTIMISTIC_FORCE_INCREMENT);
        }

        @Transactional
        @DistributedLock(name = "stock", key = "#id")
        public void merge(String id, Article copy) {
            entities.merge(copy);
        }

        @Transactional(readOnly = true)
        public Article find(String id) {
            return entities.find(Article.class, id);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class InMemory {

        @Bean
        DataSource dataSource() {
            return Database.empty();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class Persistence {

        @Bean
        JdbcTemplate jdbc(DataSource dataSource) {
            return new JdbcTemplate(dataSource);
        }

        @Bean
        LocalContainerEntityManagerFactoryBean entityManagerFactory(DataSource dataSource) {
            HibernateJpaVendorAdapter hibernate = new HibernateJpaVendorAdapter();
            hibernate.setGenerateDdl(true);
            LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
            factory.setDataSource(dataSource);
            factory.setJpaVendorAdapter(hibernate);
            factory.setManagedTypes(PersistenceManagedTypes.of(Article.class.getName()));
            return factory;
        }

        @Bean
        JpaTransactionManager transactionManager(EntityManagerFactory factory) {
            return new JpaTransactionManager(factory);
        }

        @Bean
        TransactionTemplate transaction(JpaTransactionManager manager) {
            return new TransactionTemplate(manager);
        }
    }
}
