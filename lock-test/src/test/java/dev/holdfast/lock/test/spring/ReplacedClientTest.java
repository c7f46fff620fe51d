package dev.holdfast.lock.test.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.Mockito.atLeastOnce;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.test.InMemoryLockClient;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.bean.override.convention.TestBean;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.context.bean.override.mockito.MockitoSpyBean;

/** What Spring offers to replace a bean works for the client in memory, too. */
class ReplacedClientTest {

    @Nested
    @SpringBootTest(classes = LockedApplication.class)
    class ByAMock {

        @MockitoBean
        LockClient client;

        @Autowired
        LockedApplication.Payments payments;

        @Test
        void mockThrowsWhatTheTestWants() {
            LeaseLock lock = mock(LeaseLock.class);
            when(client.getLock(anyString(), any())).thenReturn(lock);
            when(lock.acquireAsync(any()))
                    .thenReturn(CompletableFuture.failedFuture(
                            new LockNotAcquiredException("order:42", Duration.ofSeconds(5), null, null)));
            when(lock.acquire(any()))
                    .thenThrow(new LockNotAcquiredException("order:42", Duration.ofSeconds(5), null, null));

            assertThatThrownBy(() -> payments.pay("42")).isInstanceOf(LockNotAcquiredException.class);
        }
    }

    @Nested
    @SpringBootTest(classes = LockedApplication.class)
    class ByASpy {

        @MockitoSpyBean
        LockClient client;

        @Autowired
        LockedApplication.Payments payments;

        @Test
        void spySeesWhichLockIsAskedFor() {
            payments.pay("42");

            verify(client, atLeastOnce()).getLock(org.mockito.ArgumentMatchers.eq("order:42"), any());
        }
    }

    @Nested
    @SpringBootTest(classes = LockedApplication.class)
    class ByATestBean {

        @TestBean
        LockClient client;

        @Autowired
        LockedApplication.Payments payments;

        static LockClient client() {
            return InMemoryLockClient.create(settings -> settings.defaultWait(Duration.ofMillis(10)));
        }

        @Test
        void beanOfTheTestIsUsed() {
            payments.pay("42");

            assertThat(client.statistics().acquired()).isPositive();
        }
    }
}
