package com.example.shop;

import static dev.holdfast.lock.test.spring.LockedMethods.assertLocked;
import static org.assertj.core.api.Assertions.assertThat;

import com.example.shop.Payments.Order;
import dev.holdfast.lock.LockClient;
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
    CatalogImport catalog;

    @Autowired
    LockClient locks;

    @Test
    void reportRunsUnderItsLock() {
        report.run();
        assertThat(locks.getLock("nightly-report").isLocked()).as("kept by minHold").isTrue();
        locks.forceRelease("nightly-report");
    }

    @Test
    void eachPaymentHasALaterToken() {
        long first = payments.pay(new Order("4711", 100)).fencingToken();
        assertThat(payments.pay(new Order("4711", 100)).fencingToken()).isGreaterThan(first);
    }

    /** Its position is in Redis, which this test does without. */
    @Test
    void importTakesItsLock() {
        assertLocked(catalog::run);
    }
}
