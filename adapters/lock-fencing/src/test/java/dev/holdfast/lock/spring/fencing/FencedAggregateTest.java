package dev.holdfast.lock.spring.fencing;

import static dev.holdfast.lock.spring.fencing.FenceTableTest.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.OnLost;
import dev.holdfast.lock.spring.fixture.Database;
import dev.holdfast.lock.spring.fixture.Locked;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.Version;
import org.springframework.data.jdbc.core.mapping.JdbcMappingContext;
import org.springframework.data.jdbc.repository.config.AbstractJdbcConfiguration;
import org.springframework.data.jdbc.repository.config.EnableJdbcRepositories;
import org.springframework.data.relational.core.mapping.Table;
import org.springframework.data.repository.CrudRepository;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcOperations;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

/** Aggregates that a lock fences, with Spring Data JDBC. A frozen holder is one whose lock passes on while its method runs. */
@TestInstance(Lifecycle.PER_CLASS)
class FencedAggregateTest {

    @AutoClose
    private final Locked app = Locked.application(database(), Persistence.class, Stock.class);

    private final Stock stock = app.bean(Stock.class);
    private final ArticleRepository articles = app.bean(ArticleRepository.class);
    private final JdbcTemplate jdbc = app.bean(JdbcTemplate.class);

    Class<?> database() {
        return InMemory.class;
    }

    @BeforeEach
    void fill() {
        jdbc.execute("drop table if exists article");
        jdbc.execute("create table article (id varchar(20) primary key, pieces int, fence bigint not null default 0)");
        jdbc.update("insert into article (id, pieces) values ('lamp', 1)");
    }

    @Test
    void updateWritesTheTokenAndReturnsIt() {
        Article saved = stock.set("lamp", 5);
        assertThat(saved.fence()).isPositive();
        assertThat(articles.findById("lamp")).contains(saved);
        assertThat(stock.set("lamp", 6).fence()).isGreaterThan(saved.fence());
    }

    @Test
    void holderMayWriteAgain() {
        stock.under("lamp", () -> {
            Article first = articles.save(new Article("lamp", 5, 0L));
            assertThat(first.fence()).isEqualTo(LockContext.current().fencingToken());
            articles.save(first.withPieces(6));
        });
        assertThat(articles.findById("lamp").orElseThrow().pieces()).isEqualTo(6);
    }

    @Test
    void frozenHolderThatHasReadBeforeIsRefusedByTheDatabase() {
        assertRefused(() -> stock.under("lamp", () -> {
            Article read = articles.findById("lamp").orElseThrow();
            passOnAndWrite();
            articles.save(read.withPieces(100));
        }));
        assertThat(articles.findById("lamp").orElseThrow().pieces()).isEqualTo(7);
    }

    @Test
    void frozenHolderThatReadsAfterwardsIsRefusedToo() {
        assertRefused(() -> stock.under("lamp", () -> {
                    passOnAndWrite();
                    articles.saveAll(
                            List.of(articles.findById("lamp").orElseThrow().withPieces(100)));
                }))
                .withMessageContaining("A later holder of the lock 'stock:lamp' has already written");
        assertThat(articles.findById("lamp").orElseThrow().pieces()).isEqualTo(7);
    }

    @Test
    void frozenHolderDeletesNothing() {
        assertRefused(() -> stock.under("lamp", () -> {
            Article read = articles.findById("lamp").orElseThrow();
            passOnAndWrite();
            articles.delete(read);
        }));
        assertRefused(() -> stock.under("lamp", () -> {
            passOnAndWrite();
            articles.deleteAll(List.of(articles.findById("lamp").orElseThrow()));
        }));
        assertThat(articles.findById("lamp").orElseThrow().pieces()).isEqualTo(7);
    }

    @Test
    void holderDeletes() {
        stock.under("lamp", () -> articles.delete(articles.findById("lamp").orElseThrow()));
        assertThat(articles.count()).isZero();
    }

    @Test
    void insertKeepsTheTokenAndNeedsNoLock() {
        stock.under(
                "boat",
                () -> assertThat(articles.save(new Article("boat", 1, null)).fence())
                        .isEqualTo(LockContext.current().fencingToken()));
        assertThat(articles.save(new Article("chair", 1, null)).fence()).isZero();
        assertThat(stock.set("chair", 2).fence()).isPositive();
    }

    @Test
    void updateAndDeleteWithoutTheLockFail() {
        Article read = articles.findById("lamp").orElseThrow();
        assertThatThrownBy(() -> articles.save(read.withPieces(2)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("written without the lock 'stock:lamp'");
        assertThatThrownBy(() -> articles.delete(read)).hasMessageContaining("written without the lock 'stock:lamp'");
        assertThat(articles.findById("lamp")).contains(read);
    }

    @Test
    void deleteByIdIsNotChecked() {
        articles.deleteById("lamp");
        assertThat(articles.count()).isZero();
    }

    @Test
    void keyThatIsNullNamesTheField() {
        assertThatThrownBy(() -> articles.save(new Article(null, 2, 5L)))
                .hasMessageContaining("its field 'id' is null");
    }

    private void passOnAndWrite() {
        app.locks().forceRelease("stock:lamp");
        CompletableFuture.runAsync(() -> stock.set("lamp", 7)).join();
    }

    @Table
    public record Article(
            @Id String id,
            int pieces,

            @Version @FencedBy(name = "stock", key = "id") Long fence) {
        Article withPieces(int changed) {
            return new Article(id, changed, fence);
        }
    }

    interface ArticleRepository extends CrudRepository<Article, String> {}

    static class Stock {

        private final ArticleRepository articles;

        Stock(ArticleRepository articles) {
            this.articles = articles;
        }

        @Transactional
        @DistributedLock(name = "stock", key = "#id")
        public Article set(String id, int pieces) {
            return articles.save(articles.findById(id).orElseThrow().withPieces(pieces));
        }

        @Transactional
        @DistributedLock(name = "stock", key = "#id", onLost = OnLost.REPORT)
        public void under(String id, Runnable work) {
            work.run();
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
    @EnableJdbcRepositories(considerNestedRepositories = true, basePackageClasses = FencedAggregateTest.class)
    @Import(AbstractJdbcConfiguration.class)
    static class Persistence {

        @Bean
        static JdbcFencing fencing(ObjectProvider<JdbcMappingContext> mappings) {
            return new JdbcFencing(mappings);
        }

        @Bean
        JdbcTemplate jdbc(DataSource dataSource) {
            return new JdbcTemplate(dataSource);
        }

        @Bean
        NamedParameterJdbcOperations operations(DataSource dataSource) {
            return new NamedParameterJdbcTemplate(dataSource);
        }

        @Bean
        PlatformTransactionManager transactionManager(DataSource dataSource) {
            return new DataSourceTransactionManager(dataSource);
        }
    }
}
