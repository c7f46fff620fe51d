package dev.holdfast.lock.sample.orders;

import static dev.holdfast.lock.test.LockAssertions.assertThat;
import static dev.holdfast.lock.test.spring.LockedMethods.assertLocked;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;

import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.sample.Elsewhere;
import dev.holdfast.lock.test.InMemoryLockClient;
import dev.holdfast.lock.test.spring.AutoConfigureHoldfastTest;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

/** Payments with their lock, and nothing else of the shop. */
@SpringJUnitConfig(Payments.class)
@AutoConfigureHoldfastTest
class PaymentsTest {

    private static final Order ORDER = new Order("42");

    @Autowired
    private Payments payments;

    @Autowired
    private InMemoryLockClient locks;

    @MockitoBean
    private Elsewhere provider;

    @Test
    void providerIsAskedWhileTheOrderIsLocked() {
        doAnswer(call -> {
                    locks.note("provider");
                    return null;
                })
                .when(provider)
                .ask();

        assertThat(payments.pay(ORDER).text()).isEqualTo("paid");

        assertLocked(payments::pay);
        assertThat(locks).heldWhile("order:42", "provider").released("order:42");
    }

    @Test
    void orderThatAnotherInstancePaysIsNotPaidTwice() {
        locks.holdElsewhere("order:42");

        assertThat(payments.pay(ORDER).text()).isEqualTo("is being paid already");

        verify(provider, never()).ask();
    }

    @Test
    void nothingIsPaidWithoutRedis() {
        locks.makeUnavailable();

        assertThatThrownBy(() -> payments.pay(ORDER)).isInstanceOf(LockUnavailableException.class);

        verify(provider, never()).ask();
    }

    @Test
    void lostLockIsReportedToTheCaller() {
        doAnswer(call -> {
                    locks.lose("order:42");
                    return null;
                })
                .when(provider)
                .ask();

        assertThatThrownBy(() -> payments.pay(ORDER)).isInstanceOf(LeaseLostException.class);
    }
}
