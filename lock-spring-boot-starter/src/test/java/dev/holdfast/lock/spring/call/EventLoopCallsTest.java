package dev.holdfast.lock.spring.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.fixture.Locked;
import dev.holdfast.lock.testing.Await;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.scheduler.Schedulers;

/** A call on a thread that serves others does not wait. What else it may do there is in lock-core's {@code EventLoopTest}. */
class EventLoopCallsTest {

    private static final MultiThreadIoEventLoopGroup NETTY =
            new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());

    private static Locked app;
    private static Stock stock;

    @BeforeAll
    static void start() {
        app = Locked.application(Stock.class);
        stock = app.bean(Stock.class);
    }

    @AfterAll
    static void stop() {
        app.close();
        NETTY.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }

    /** Not the executor itself: since JDK 19 it is closeable, and JUnit closes a closeable argument after its test. */
    static Stream<Executor> eventLoops() {
        return Stream.of(Schedulers.parallel()::schedule, NETTY::execute);
    }

    private static @Nullable Object on(Executor executor, Callable<?> call) {
        CompletableFuture<@Nullable Object> result = new CompletableFuture<>();
        executor.execute(() -> {
            try {
                result.complete(call.call());
            } catch (Throwable thrown) {
                result.completeExceptionally(thrown);
            }
        });
        return result.orTimeout(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
    }

    @ParameterizedTest
    @MethodSource("eventLoops")
    void callThatWouldWaitFailsAtOnce(Executor eventLoop) {
        try (Lease other = app.locks().getLock("loop").acquire()) {
            assertThatThrownBy(() -> on(eventLoop, stock::reserve))
                    .cause()
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContainingAll("loop'", "must not block", "Mono", "boundedElastic")
                    .hasStackTraceContaining(Stock.class.getName());
            assertThat(other.isHeld()).isTrue();
        }
    }

    static class Stock {

        @DistributedLock(name = "loop")
        public String reserve() {
            return LockContext.current().lockName();
        }
    }
}
