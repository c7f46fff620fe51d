package dev.holdfast.lock.spring.endpoint;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.spring.interceptor.LockCall;
import dev.holdfast.lock.spring.interceptor.LockCallListener;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Knows which annotated calls are asking for a lock now. */
public final class WaitingCalls implements LockCallListener {

    private final Set<Waiting> all = ConcurrentHashMap.newKeySet();

    /** Nobody is waiting yet. */
    public WaitingCalls() {}

    @Override
    public Progress onCall(LockCall call) {
        Waiting waiting = new Waiting(all, call);
        all.add(waiting);
        return waiting;
    }

    /**
     * A call that is waiting.
     *
     * @param names the locks' names
     * @param declaredName the declared name
     * @param kind the kind of lock
     * @param since when it began to ask
     * @param thread the thread that asked
     */
    record Call(List<String> names, String declaredName, LockKind kind, Instant since, String thread) {}

    /** A snapshot, whoever waits longest first. */
    List<Call> now() {
        return all.stream()
                .map(Waiting::describe)
                .sorted(Comparator.comparing(Call::since))
                .toList();
    }

    private static final class Waiting implements Progress {

        private final Set<Waiting> all;
        private final LockCall call;
        private final long since = System.currentTimeMillis();
        private final Thread thread = Thread.currentThread();

        Waiting(Set<Waiting> all, LockCall call) {
            this.all = all;
            this.call = call;
        }

        Call describe() {
            return new Call(
                    call.lockNames(), call.declaredName(), call.kind(), Instant.ofEpochMilli(since), thread.getName());
        }

        @Override
        public void onAcquired(Duration waited, long fencingToken) {
            all.remove(this);
        }

        @Override
        public void onBusy(Duration waited, boolean skipped) {
            all.remove(this);
        }

        @Override
        public void onUnavailable(Duration waited, boolean proceeds) {
            all.remove(this);
        }

        @Override
        public void onFailed(Duration waited, Throwable failure) {
            all.remove(this);
        }
    }
}
