package com.example.shop;

import static dev.holdfast.lock.test.spring.LockedMethods.assertLocked;
import static org.assertj.core.api.Assertions.assertThat;

import com.example.shop.Payments.Order;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

@SpringBootTest
class RecipesTest {

    @Autowired
    NightlyReport report;

    @Autowired
    Payments payments;

    @Autowired
    Stock stock;

    @Test
    void reportRunsUnderItsLock() {
        assertLocked(report::run);
    }

    @Test
    void eachPaymentHasALaterToken() {
        long first = payments.pay(new Order("4711", 100)).fencingToken();
        assertThat(payments.pay(new Order("4711", 100)).fencingToken()).isGreaterThan(first);
    }

    @Test
    void eachMoveHasALaterToken() {
        long first = stock.move("a-4711");
        assertThat(stock.move("a-4711")).isGreaterThan(first);
    }
}
