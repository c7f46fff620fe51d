package dev.holdfast.lock.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.fixture.Database;
import dev.holdfast.lock.spring.fixture.Locked;
import javax.sql.DataSource;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.annotation.Id;
import org.springframework.data.jdbc.repository.config.AbstractJdbcConfiguration;
import org.springframework.data.jdbc.repository.config.EnableJdbcRepositories;
import org.springframework.data.jdbc.repository.query.Modifying;
import org.springframework.data.jdbc.repository.query.Query;
import org.springframework.data.relational.core.mapping.Table;
import org.springframework.data.repository.CrudRepository;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcOperations;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;

/** An application with Spring Data repositories whose methods are locked. */
class JdbcRepositoryTest {

    @AutoClose
    private final Locked app = Locked.application(Shop.class);

    @BeforeEach
    void fill() {
        JdbcTemplate jdbc = app.bean(JdbcTemplate.class);
        jdbc.execute("create table item (id bigint primary key, stock int)");
        jdbc.update("insert into item values (7, 3)");
    }

    @Test
    void queryMethodIsLockedByItsKey() {
        ItemRepository items = app.bean(ItemRepository.class);
        try (Lease lease = app.locks().getLock("item:7").acquire()) {
            assertThat(lease.isHeld()).isTrue();
            assertThatThrownBy(() -> items.take(7)).isInstanceOf(LockNotAcquiredException.class);
            assertThat(items.findById(7L))
                    .hasValueSatisfying(item -> assertThat(item.stock()).isEqualTo(3));
        }
        assertThat(items.take(7)).isEqualTo(1);
        assertThat(items.findById(7L))
                .hasValueSatisfying(item -> assertThat(item.stock()).isEqualTo(2));
    }

    @Test
    void methodThatARepositoryRedeclaresIsLocked() {
        StockRepository stock = app.bean(StockRepository.class);
        try (Lease lease = app.locks().getLock("stock").acquire()) {
            assertThat(lease.isHeld()).isTrue();
            assertThatThrownBy(stock::count).isInstanceOf(LockNotAcquiredException.class);
            assertThatThrownBy(() -> stock.findByStock(3)).isInstanceOf(LockNotAcquiredException.class);
        }
        assertThat(stock.count()).isOne();
        assertThat(stock.findByStock(3)).isNotNull();
    }

    /** The annotation tells Spring Data, of which the class path has several modules, whose entity it is. */
    @Table
    public record Item(@Id Long id, int stock) {}

    interface ItemRepository extends CrudRepository<Item, Long> {

        @DistributedLock(name = "item", key = "#id", waitTime = "0s")
        @Modifying
        @Query("update item set stock = stock - 1 where id = :id")
        int take(long id);
    }

    interface StockRepository extends CrudRepository<Item, Long> {

        @Override
        @DistributedLock(name = "stock", waitTime = "0s")
        long count();

        @DistributedLock(name = "stock", waitTime = "0s")
        Item findByStock(int stock);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableJdbcRepositories(considerNestedRepositories = true, basePackageClasses = JdbcRepositoryTest.class)
    @Import(AbstractJdbcConfiguration.class)
    static class Shop extends Database {

        @Bean
        NamedParameterJdbcOperations operations(DataSource dataSource) {
            return new NamedParameterJdbcTemplate(dataSource);
        }
    }
}
