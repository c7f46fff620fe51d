package dev.holdfast.lock.internal.connection;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.netty.util.internal.ThreadExecutorMap;
import reactor.core.scheduler.Schedulers;

/**
 * Recognizes threads that serve many requests and must not wait for one of them. Reactor, if it is there, marks such threads, and Netty knows
 * its event loops.
 */
public final class EventLoops {

    private static final boolean HAS_REACTOR = hasReactor();

    private EventLoops() {}

    private static boolean hasReactor() {
        try {
            Class.forName("reactor.core.scheduler.Schedulers", false, EventLoops.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException absent) {
            return false;
        }
    }

    /**
     * Returns whether the current thread is such a thread. Asks Netty only about Netty's own threads, because Netty would create a map for any other
     * thread.
     */
    public static boolean isCurrent() {
        return (HAS_REACTOR && Schedulers.isInNonBlockingThread())
                || (Thread.currentThread() instanceof FastThreadLocalThread
                        && ThreadExecutorMap.currentExecutor() instanceof EventLoop);
    }
}
