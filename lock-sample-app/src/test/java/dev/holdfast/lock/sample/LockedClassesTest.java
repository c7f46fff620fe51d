package dev.holdfast.lock.sample;

import dev.holdfast.lock.test.spring.LockedClasses;
import org.junit.jupiter.api.Test;

/** No declaration of the shop would fail its startup, and no job runs on every instance by mistake. */
class LockedClassesTest {

    @Test
    void everyDeclarationWorks() {
        LockedClasses.check("dev.holdfast.lock.sample").everyScheduledMethodHasALock();
    }
}
