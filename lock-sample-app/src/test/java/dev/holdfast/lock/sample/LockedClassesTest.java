package dev.holdfast.lock.sample;

import dev.holdfast.lock.test.spring.LockedClasses;
import org.junit.jupiter.api.Test;

/** No method of the shop calls past the proxy that takes its lock. */
class LockedClassesTest {

    @Test
    void everyLockIsTaken() {
        LockedClasses.check("dev.holdfast.lock.sample");
    }
}
