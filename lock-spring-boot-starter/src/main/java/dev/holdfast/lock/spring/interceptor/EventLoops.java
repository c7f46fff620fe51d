package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.spring.interceptor.LockOperation.LockRequest;
import io.netty.channel.EventLoop;
import io.netty.util.internal.ThreadExecutorMap;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.commons.logging.LogFactory;
import org.springframework.util.ClassUtils;
import reactor.core.scheduler.Schedulers;

/** Threads that serve many requests and so must not wait for one of them, as Reactor and Netty mark them. */
final class EventLoops {

    private static final boolean REACTOR = isPresent("reactor.core.scheduler.Schedulers");
    private static final boolean NETTY =
            isPresent("io.netty.util.internal.ThreadExecutorMap") && isPresent("io.netty.channel.EventLoop");
    private static final AtomicBoolean WARNED = new AtomicBoolean();

    private EventLoops() {}

    private static boolean isPresent(String type) {
        return ClassUtils.isPresent(type, EventLoops.class.getClassLoader());
    }

    static boolean isCurrent() {
        return (REACTOR && Marks.ofReactor()) || (NETTY && Marks.ofNetty());
    }

    /** The options of a blocking call here: it does not wait. */
    static AcquireOptions options(LockRequest request) {
        if (!WARNED.getAndSet(true)) {
            LogFactory.getLog(LockInterceptor.class)
                    .warn(request.operation().signature() + " blocks a thread that must not block, "
                            + Thread.currentThread().getName() + ", until Redis answers. Return a Mono or a Flux, or"
                            + " call it on Schedulers.boundedElastic(). This is logged once.");
        }
        return request.options().waitAtMost(Duration.ZERO);
    }

    /** Whether a call of a busy lock waits elsewhere. Without a wait time it waits as long as the client does by default. */
    static boolean wouldWait(LockRequest request) {
        return request.options().givenWait().filter(Duration.ZERO::equals).isEmpty();
    }

    /** What such a call fails with here, as a blocking call of Reactor does. */
    static IllegalStateException refusal(LockRequest request, LockNotAcquiredException busy) {
        return new IllegalStateException(
                request.operation().signature() + " would wait for the busy lock '" + LogText.escape(busy.lockName())
                        + "' on thread " + Thread.currentThread().getName()
                        + ", which must not block: it serves other requests. Return a Mono or a Flux, or call it on"
                        + " Schedulers.boundedElastic()",
                busy);
    }

    /** Both libraries come with Lettuce, which an application may leave out. */
    private static final class Marks {
        static boolean ofReactor() {
            return Schedulers.isInNonBlockingThread();
        }

        static boolean ofNetty() {
            return ThreadExecutorMap.currentExecutor() instanceof EventLoop;
        }
    }
}
