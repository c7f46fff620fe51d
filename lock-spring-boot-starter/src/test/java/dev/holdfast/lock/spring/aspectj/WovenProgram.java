package dev.holdfast.lock.spring.aspectj;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.boot.LockInterceptionConfiguration;
import dev.holdfast.lock.spring.call.LockInterceptor;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.annotation.Id;
import org.springframework.data.jdbc.repository.config.AbstractJdbcConfiguration;
import org.springframework.data.jdbc.repository.config.EnableJdbcRepositories;
import org.springframework.data.jdbc.repository.query.Modifying;
import org.springframework.data.jdbc.repository.query.Query;
import org.springframework.data.relational.core.mapping.Table;
import org.springframework.data.repository.Repository;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.transaction.PlatformTransactionManager;
import reactor.core.publisher.Mono;

/** Runs under the weaver, and prints what was locked. */
final class WovenProgram {

    private static LockClient locks;

    private WovenProgram() {}

    public static void main(String[] args) {
        System.setProperty("redis", args[0]);
        locks = RedisLockClient.builder(RedisSource.of(args[0]))
                .keyPrefix(UUID.randomUUID() + ":")
                .checkAtStart(false)
                .build();
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(Application.class)) {
            Shop shop = context.getBean(Shop.class);
            System.out.println("self-invocation: " + shop.plain());
            System.out.println("no bean: " + new Shop().locked("new"));
            CountedKey counted = new CountedKey("proxy");
            long before = locks.statistics().acquired();
            System.out.println("through the proxy: " + shop.counted(counted) + ", "
                    + (locks.statistics().acquired() - before) + " acquisition, " + counted.evaluations.get()
                    + " evaluation of the key");
            System.out.println("recursion: " + shop.recurse("outer"));
            try (AnnotationConfigApplicationContext later =
                    new AnnotationConfigApplicationContext(OtherApplication.class)) {
                System.out.println("two contexts: " + shop.plain() + ", "
                        + later.getBean(Shop.class).plain());
            }
            System.out.println("after another context has closed: " + shop.plain() + ", " + new Shop().locked("new"));
            Items items = context.getBean(Items.class);
            items.insert(7);
            System.out.println("repository's query: " + acquisitions(() -> items.insert(8)));
            System.out.println(
                    "repository's default method: " + items.stateInside() + ", " + acquisitions(items::stateInside));
            long earlier = locks.statistics().acquired();
            String published = shop.publish("mono").block();
            System.out.println(
                    "publisher: " + published + ", " + (locks.statistics().acquired() - earlier) + " acquisition");
        } finally {
            locks.close();
        }
    }

    private static String acquisitions(Runnable call) {
        long before = locks.statistics().acquired();
        call.run();
        return locks.statistics().acquired() - before + " acquisition";
    }

    private static String state(String name) {
        return locks.inspect(name).isPresent() ? "locked" : "not locked";
    }

    static class Shop {

        String plain() {
            return locked("self");
        }

        @DistributedLock(name = "woven", key = "#key")
        public String locked(String key) {
            return state("woven:" + key);
        }

        @DistributedLock(name = "counted", key = "#key.value")
        public String counted(CountedKey key) {
            return state("counted:" + key.value);
        }

        @DistributedLock(name = "recursion", key = "#key")
        public String recurse(String key) {
            String own = key + " " + state("recursion:" + key);
            return key.equals("outer") ? own + ", " + recurse("inner") : own;
        }

        @DistributedLock(name = "published", key = "#key")
        public Mono<String> publish(String key) {
            return Mono.fromSupplier(() -> state("published:" + key));
        }
    }

    @Table
    public record Item(@Id long id) {}

    public interface Items extends Repository<Item, Long> {

        @Modifying
        @Query("insert into item (id) values (:id)")
        @DistributedLock(name = "insert")
        void insert(long id);

        @DistributedLock(name = "default")
        default String stateInside() {
            return state("default");
        }
    }

    /** A call that is locked twice, once by the proxy and once by the woven code, evaluates its key twice. */
    public static final class CountedKey {

        private final String value;
        private final AtomicInteger evaluations = new AtomicInteger();

        CountedKey(String value) {
            this.value = value;
        }

        public String getValue() {
            evaluations.incrementAndGet();
            return value;
        }
    }

    /** Its locks are others: they have other keys. */
    @Configuration(proxyBeanMethods = false)
    @Import(LockInterceptionConfiguration.class)
    static class OtherApplication {

        @Bean
        LockClient locks(@Value("${redis}") String redis) {
            return RedisLockClient.builder(RedisSource.of(redis))
                    .keyPrefix("other:")
                    .checkAtStart(false)
                    .build();
        }

        @Bean
        Shop shop() {
            return new Shop();
        }

        @Bean
        static WeavingLink link(ObjectProvider<LockInterceptor> locks) {
            return new WeavingLink(locks);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableJdbcRepositories(considerNestedRepositories = true)
    @Import({LockInterceptionConfiguration.class, AbstractJdbcConfiguration.class})
    static class Application {

        @Bean
        NamedParameterJdbcTemplate database() {
            NamedParameterJdbcTemplate jdbc = new NamedParameterJdbcTemplate(new EmbeddedDatabaseBuilder()
                    .setType(EmbeddedDatabaseType.H2)
                    .generateUniqueName(true)
                    .build());
            jdbc.getJdbcOperations().execute("create table item (id bigint primary key)");
            return jdbc;
        }

        @Bean
        PlatformTransactionManager transactionManager(NamedParameterJdbcTemplate database) {
            return new DataSourceTransactionManager(database.getJdbcTemplate().getDataSource());
        }

        @Bean
        LockClient locks() {
            return locks;
        }

        @Bean
        Shop shop() {
            return new Shop();
        }

        @Bean
        static WeavingLink link(ObjectProvider<LockInterceptor> locks) {
            return new WeavingLink(locks);
        }
    }
}
