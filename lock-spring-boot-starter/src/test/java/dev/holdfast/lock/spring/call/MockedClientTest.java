package dev.holdfast.lock.spring.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.boot.LockInterceptionConfiguration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

/** A test that replaces the client by a mock, which returns no locks. */
@SpringJUnitConfig
@Import({LockInterceptionConfiguration.class, MockedClientTest.Stock.class})
class MockedClientTest {

    @MockitoBean
    private LockClient client;

    @Autowired
    private Stock stock;

    @Test
    void callSaysThatTheClientReturnsNoLocks() {
        assertThat(client).isNotNull();
        assertThatThrownBy(() -> stock.reserve())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("returned no lock", "mock", "lock-test");
    }

    static class Stock {
        @DistributedLock(name = "stock")
        public void reserve() {}
    }
}
