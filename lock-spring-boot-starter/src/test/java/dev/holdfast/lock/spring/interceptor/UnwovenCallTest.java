package dev.holdfast.lock.spring.interceptor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.aspectj.WeavingLink;
import dev.holdfast.lock.spring.method.ProxiedCall;
import org.junit.jupiter.api.Test;

/** A JVM without AspectJ's weaver, as most are. */
class UnwovenCallTest {

    @Test
    void proxiedCallsAreNotMarkedWhereNothingIsWoven() throws Exception {
        try (Locked app = Locked.application(Shop.class)) {
            WeavingLink link = new WeavingLink(app.context().getBeanProvider(LockInterceptor.class));
            link.afterPropertiesSet();
            assertThat(ProxiedCall.isKnownTo(new Object())).isFalse();
            link.destroy();
        }
    }

    static class Shop {}
}
