package dev.holdfast.lock.internal.connection;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.netty.util.internal.ThreadExecutorMap;
import reactor.core.scheduler.Schedulers;

/** Threads that serve many requests, and so must not wait for one of them. Reactor marks them, and Netty knows its event loops. */
public final class EventLoops {

    private EventLoops() {}

    /** Whether the current thread is one. Asks Netty about its own threads only: it would make a map for any other. */
    public static boolean isCurrent() {
        return Schedulers.isInNonBlockingThread()
                || (Thread.currentThread() instanceof FastThreadLocalThread
                        && ThreadExecutorMap.currentExecutor() instanceof EventLoop);
    }
}
