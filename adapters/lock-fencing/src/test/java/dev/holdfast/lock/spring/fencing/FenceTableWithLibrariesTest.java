package dev.holdfast.lock.spring.fencing;

import static dev.holdfast.lock.spring.fencing.FenceTableTest.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.fixture.Database;
import dev.holdfast.lock.spring.fixture.Locked;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.springframework.batch.core.BatchStatus;
import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.job.JobInterruptedException;
import org.springframework.batch.core.job.builder.JobBuilder;
import org.springframework.batch.core.job.parameters.JobParameters;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.batch.core.repository.support.ResourcelessJobRepository;
import org.springframework.batch.core.step.builder.StepBuilder;
import org.springframework.batch.infrastructure.item.ExecutionContext;
import org.springframework.batch.infrastructure.item.support.ListItemReader;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.data.annotation.Id;
import org.springframework.data.jdbc.repository.config.AbstractJdbcConfiguration;
import org.springframework.data.jdbc.repository.config.EnableJdbcRepositories;
import org.springframework.data.relational.core.mapping.Table;
import org.springframework.data.repository.CrudRepository;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcOperations;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What other libraries write through the fenced data source. */
@TestInstance(Lifecycle.PER_CLASS)
class FenceTableWithLibrariesTest {

    @AutoClose
    private final Locked app = new Locked(
            FenceTableTest.FENCED,
            Database.class,
            FenceTableTest.Schema.class,
            FenceTableTest.Work.class,
            Repositories.class);

    private final FenceTableTest.Work work = app.bean(FenceTableTest.Work.class);
    private final JdbcTemplate jdbc = app.bean(JdbcTemplate.class);
    private final TransactionTemplate transaction = app.bean(TransactionTemplate.class);

    @BeforeEach
    void fill() {
        jdbc.update("delete from holdfast_fence");
        jdbc.update("delete from article");
        jdbc.update("insert into article (id, pieces) values ('lamp', 1)");
    }

    private void assertFenced(Runnable write) {
        work.under("lamp", () -> {
            write.run();
            assertThat(jdbc.queryForObject("select token from holdfast_fence", Long.class))
                    .isEqualTo(LockContext.current().fencingToken());
            assertThat(pieces()).isEqualTo(100);
            passOn();
            assertRefused(write::run);
        });
        assertThat(pieces()).isEqualTo(7);
    }

    private void passOn() {
        app.locks().forceRelease("stock:lamp");
        FenceTableTest.elsewhere(() -> work.under("lamp", () -> jdbc.update("update article set pieces = 7")))
                .join();
    }

    private int pieces() {
        return Objects.requireNonNull(FenceTableTest.supplied(
                () -> jdbc.queryForObject("select pieces from article where id = 'lamp'", Integer.class)));
    }

    @Test
    void jooqInATransactionOfSpring() {
        DSLContext sql = DSL.using(new TransactionAwareDataSourceProxy(app.bean(DataSource.class)), SQLDialect.H2);
        assertFenced(() -> transaction.executeWithoutResult(status -> sql.execute("update article set pieces = 100")));
    }

    @Test
    void jooqInATransactionOfItsOwn() {
        DSLContext sql = DSL.using(app.bean(DataSource.class), SQLDialect.H2);
        assertFenced(() -> sql.transaction(inner -> inner.dsl().execute("update article set pieces = 100")));
    }

    @Test
    void repositoryOfSpringDataJdbc() {
        Articles articles = app.bean(Articles.class);
        assertFenced(() -> articles.save(new Article("lamp", 100)));
    }

    @Test
    void chunkOfSpringBatch() {
        assertFenced(() -> {
            JobExecution execution = execute(100);
            if (execution.getStatus() != BatchStatus.COMPLETED) {
                throw refusal(execution.getAllFailureExceptions().get(0));
            }
        });
    }

    /** Returns what Spring Batch has wrapped. */
    private static RuntimeException refusal(Throwable failure) {
        Throwable cause = failure;
        while (!(cause instanceof OptimisticLockingFailureException) && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause instanceof RuntimeException refusal ? refusal : new IllegalStateException(failure);
    }

    private JobExecution execute(int pieces) {
        JobRepository repository = new ResourcelessJobRepository();
        Job job = new JobBuilder("job", repository)
                .start(new StepBuilder("step", repository)
                        .<Integer, Integer>chunk(1)
                        .transactionManager(app.bean(PlatformTransactionManager.class))
                        .reader(new ListItemReader<>(List.of(pieces)))
                        .writer(chunk -> chunk.forEach(item -> jdbc.update("update article set pieces = ?", item)))
                        .build())
                .build();
        JobExecution execution = repository.createJobExecution(
                repository.createJobInstance("job", new JobParameters()), new JobParameters(), new ExecutionContext());
        try {
            job.execute(execution);
        } catch (JobInterruptedException e) {
            throw new IllegalStateException(e);
        }
        return execution;
    }

    @Table("ARTICLE")
    record Article(@Id String id, int pieces) {}

    interface Articles extends CrudRepository<Article, String> {}

    @Configuration(proxyBeanMethods = false)
    @EnableJdbcRepositories(
            considerNestedRepositories = true,
            basePackageClasses = FenceTableWithLibrariesTest.class,
            includeFilters =
                    @org.springframework.context.annotation.ComponentScan.Filter(
                            type = org.springframework.context.annotation.FilterType.ASSIGNABLE_TYPE,
                            classes = Articles.class))
    static class Repositories extends AbstractJdbcConfiguration {

        @Bean
        NamedParameterJdbcOperations named(DataSource dataSource) {
            return new NamedParameterJdbcTemplate(dataSource);
        }
    }
}
