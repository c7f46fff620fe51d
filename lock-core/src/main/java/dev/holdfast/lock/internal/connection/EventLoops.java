package dev.holdfast.lock.internal.connection;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.netty.util.internal.ThreadExecutorMap;
import reactor.core.scheduler.Schedulers;

/** Recognizes threads that serve many requests and must not wait for one of them. Reactor marks such threads, and Netty knows its event loops. */
public final class EventLoops {

    private EventLoops() {}

    /**
     * Returns whether the current thread is such a thread. Asks Netty only about Netty's own threads, because Netty would create a map for any other
     * thread.
     */
    public static boolean isCurrent() {
        return Schedulers.isInNonBlockingThread()
                || (Thread.currentThread() instanceof FastThreadLocalThread
                        && ThreadExecutorMap.currentExecutor() instanceof EventLoop);
    }
}
