package dev.holdfast.lock.internal.thread;

import dev.holdfast.lock.LeaseLoss;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Holds whose lease was lost and which their threads have not unlocked yet. They end with their thread. Each thread keeps its latest {@value
 * #MOST_FOR_EACH_THREAD}, so code that never unlocks does not fill the memory.
 */
final class LostHolds {

    static final int MOST_FOR_EACH_THREAD = 100;

    /** Must not refer to a thread: threads are weak keys. */
    private record LostHold(int count, LeaseLoss loss) {}

    private static final class OfThread extends LinkedHashMap<Object, LostHold> {

        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Object, LostHold> eldest) {
            return size() > MOST_FOR_EACH_THREAD;
        }
    }

    private final Map<Thread, OfThread> threads = new WeakHashMap<>();

    synchronized void add(Thread thread, Object lock, int count, LeaseLoss loss) {
        OfThread ofThread = threads.computeIfAbsent(thread, key -> new OfThread());
        LostHold before = ofThread.remove(lock);
        ofThread.put(lock, new LostHold(count + (before == null ? 0 : before.count()), loss));
    }

    synchronized @Nullable LeaseLoss find(Thread thread, Object lock) {
        OfThread ofThread = threads.get(thread);
        LostHold hold = ofThread == null ? null : ofThread.get(lock);
        return hold == null ? null : hold.loss();
    }

    synchronized @Nullable LeaseLoss leave(Thread thread, Object lock) {
        OfThread ofThread = threads.get(thread);
        LostHold hold = ofThread == null ? null : ofThread.remove(lock);
        if (ofThread == null || hold == null) {
            return null;
        }
        if (hold.count() > 1) {
            ofThread.put(lock, new LostHold(hold.count() - 1, hold.loss()));
        } else if (ofThread.isEmpty()) {
            threads.remove(thread);
        }
        return hold.loss();
    }

    synchronized int size() {
        return threads.values().stream().mapToInt(Map::size).sum();
    }
}
