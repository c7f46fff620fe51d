package dev.holdfast.lock.test.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.RunOnce;
import dev.holdfast.lock.testing.Await;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.function.Supplier;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Mono;

/**
 * Application code that runs on a thread of the library. Since JDK 25, a thread of the common pool has the system's class loader, which does not find
 * what is in an executable jar.
 */
@Timeout(value = Await.TEST_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CommonPoolTest {

    @AutoClose
    private final LockedBeans application = new LockedBeans(Outer.class, Inner.class);

    private static boolean isOnCommonPool() {
        return Thread.currentThread() instanceof ForkJoinWorkerThread;
    }

    @Test
    void reactiveRunOfADeploymentIsNotOnTheCommonPool() {
        assertThat(application
                        .bean(Inner.class)
                        .once(Mono.fromSupplier(CommonPoolTest::isOnCommonPool))
                        .block())
                .isFalse();
    }

    @Test
    void reactiveCallThatExtendsALeaseIsNotOnTheCommonPool() {
        Inner inner = application.bean(Inner.class);
        assertThat(application
                        .bean(Outer.class)
                        .call(() -> inner.longer(Mono.fromSupplier(CommonPoolTest::isOnCommonPool)))
                        .block())
                .isFalse();
    }

    static class Outer {

        @DistributedLock(name = "shared", leaseTime = "10s")
        public Mono<Boolean> call(Supplier<Mono<Boolean>> inner) {
            return Mono.defer(inner);
        }
    }

    static class Inner {

        @RunOnce(name = "once", per = "v1")
        public Mono<Boolean> once(Mono<Boolean> body) {
            return body;
        }

        @DistributedLock(name = "shared", leaseTime = "1m")
        public Mono<Boolean> longer(Mono<Boolean> body) {
            return body;
        }
    }
}
