package dev.holdfast.lock.spring.aspectj;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.call.LockInterceptor;
import dev.holdfast.lock.spring.fixture.Locked;
import dev.holdfast.lock.spring.method.LockedCalls;
import org.junit.jupiter.api.Test;

/** A JVM without AspectJ's weaver, as most are. */
class UnwovenCallTest {

    @Test
    void proxiedCallsAreNotMarkedWhereNothingIsWoven() throws Exception {
        try (Locked app = Locked.application(Shop.class)) {
            WeavingLink link = new WeavingLink(app.context().getBeanProvider(LockInterceptor.class));
            link.afterPropertiesSet();
            assertThat(LockedCalls.isKnownTo(new Object())).isFalse();
            link.destroy();
        }
    }

    static class Shop {}
}
