package dev.holdfast.lock.sample.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The database of the fleet belongs to its instances, and to nobody else on the machine. */
class BackingTest {

    private static final String[] REDIS_OF_OUR_OWN = {"--spring.data.redis.host=127.0.0.1"};

    @Test
    void databaseIsOpenToItsInstancesOnly(@TempDir Path folder) throws Exception {
        try (Backing backing = Backing.of(REDIS_OF_OUR_OWN, folder)) {
            String url = url(backing.arguments());
            String password = backing.variables().get("SPRING_DATASOURCE_PASSWORD");

            DriverManager.getConnection(url, "shop", password).close();

            for (Map.Entry<String, String> login :
                    Map.of("shop", "", "sa", "", "admin", "admin").entrySet()) {
                assertThatThrownBy(() -> DriverManager.getConnection(url, login.getKey(), login.getValue()))
                        .isInstanceOf(SQLException.class);
            }
            // Creating a database of one's own would be a way to run code, and a file outside of the folder another
            // one.
            for (String other : List.of(url.replace("/./shop", "/./mine"), url.replace("/./shop", "/~/mine"))) {
                assertThatThrownBy(() -> DriverManager.getConnection(other, "sa", ""))
                        .isInstanceOf(SQLException.class);
            }
            assertThat(String.join(" ", backing.arguments())).doesNotContain(password);
        }
    }

    private static String url(List<String> arguments) {
        String prefix = "--spring.datasource.url=";
        return arguments.stream()
                .filter(each -> each.startsWith(prefix))
                .map(each -> each.substring(prefix.length()))
                .findFirst()
                .orElseThrow();
    }
}
