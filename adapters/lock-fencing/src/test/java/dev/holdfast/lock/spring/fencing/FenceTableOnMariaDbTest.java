package dev.holdfast.lock.spring.fencing;

import dev.holdfast.lock.spring.fixture.Transactions;
import javax.sql.DataSource;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** The same on a MariaDB that runs already: {@code -Dholdfast.mariadb=jdbc:mariadb://127.0.0.1/test?user=root}. */
@EnabledIfSystemProperty(named = FenceTableOnMariaDbTest.URL, matches = ".+")
class FenceTableOnMariaDbTest extends FenceTableTest {

    static final String URL = "holdfast.mariadb";

    @Override
    Class<?> database() {
        return MariaDb.class;
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Transactions.class)
    static class MariaDb {

        @Bean
        DataSource dataSource() {
            DataSource source = new DriverManagerDataSource(System.getProperty(URL));
            JdbcTemplate jdbc = new JdbcTemplate(source);
            jdbc.execute("drop table if exists holdfast_fence");
            jdbc.execute("drop table if exists article");
            return source;
        }
    }
}
