package dev.holdfast.lock.sample.stock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.lock.sample.UnknownItemException;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

class StockTableTest {

    private StockTable table;

    @BeforeEach
    void create() {
        JdbcDataSource database = new JdbcDataSource();
        database.setURL("jdbc:h2:mem:" + System.nanoTime() + ";MODE=PostgreSQL;DB_CLOSE_DELAY=-1");
        new ResourceDatabasePopulator(new ClassPathResource("schema.sql"), new ClassPathResource("data.sql"))
                .execute(database);
        table = new StockTable(JdbcClient.create(database));
    }

    @Test
    void laterHolderOverwritesAnEarlierOne() {
        assertThat(table.write("lamps", 10, 100)).isTrue();
        assertThat(table.write("lamps", 11, 200)).isTrue();
        assertThat(table.quantity("lamps")).isEqualTo(11);
    }

    @Test
    void holderMayWriteAgain() {
        assertThat(table.write("lamps", 10, 100)).isTrue();
        assertThat(table.write("lamps", 12, 100)).isTrue();
        assertThat(table.quantity("lamps")).isEqualTo(12);
    }

    @Test
    void staleHolderIsRefusedAndChangesNothing() {
        assertThat(table.write("lamps", 11, 200)).isTrue();
        assertThat(table.write("lamps", 10, 100)).isFalse();
        assertThat(table.quantity("lamps")).isEqualTo(11);
    }

    @Test
    void reportsAreListed() {
        table.report("alpha", table.total());
        assertThat(table.reports())
                .singleElement()
                .satisfies(report -> assertThat(report.total()).isEqualTo(65))
                .extracting(Report::instance)
                .isEqualTo("alpha");
    }

    @Test
    void unknownItemIsNamed() {
        assertThatExceptionOfType(UnknownItemException.class)
                .isThrownBy(() -> table.quantity("boats"))
                .withMessageContaining("boats");
    }
}
