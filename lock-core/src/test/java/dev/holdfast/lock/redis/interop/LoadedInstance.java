package dev.holdfast.lock.redis.interop;

import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.redis.interop.VersionedInstance.Form;
import dev.holdfast.lock.redis.interop.VersionedInstance.Hold;
import dev.holdfast.lock.testing.Await;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** An instance with a thread for each lock, which acquires and releases it again and again. */
final class LoadedInstance {

    /** What a lock protects: it notices a holder beside another one, and a token that has not grown. */
    static final class GuardedData {

        private final Form form;
        private final String name;
        private final AtomicInteger holders = new AtomicInteger();
        private final AtomicInteger violations = new AtomicInteger();
        private long lastToken;

        GuardedData(Form form, String name) {
            this.form = form;
            this.name = name;
        }

        int violations() {
            return violations.get();
        }

        private void use(VersionedInstance instance) {
            try (Hold hold = Waits.get(instance.acquire(form, name))) {
                boolean isAlone = holders.incrementAndGet() == 1;
                if (!isAlone || hold.token() <= lastToken) {
                    violations.incrementAndGet();
                }
                lastToken = hold.token();
                Thread.yield();
                holders.decrementAndGet();
            }
        }
    }

    private final VersionedInstance instance;
    private final List<AtomicInteger> grants = new ArrayList<>();
    private final List<CompletableFuture<Void>> threads = new ArrayList<>();
    private volatile boolean stopped;

    LoadedInstance(VersionedInstance instance, Collection<GuardedData> data) {
        this.instance = instance;
        for (GuardedData each : data) {
            AtomicInteger count = new AtomicInteger();
            grants.add(count);
            threads.add(CompletableFuture.runAsync(() -> work(each, count), task -> new Thread(task, "load").start()));
        }
    }

    private void work(GuardedData data, AtomicInteger count) {
        while (!stopped) {
            data.use(instance);
            count.incrementAndGet();
        }
    }

    void awaitGrants(int number) {
        Await.until(
                number + " grants of each lock",
                Waits.LONG,
                () -> grants.stream().allMatch(count -> count.get() >= number));
    }

    /** Ends the threads and closes the client, as an instance does that is replaced. */
    void stop() {
        stopped = true;
        threads.forEach(Waits::get);
        instance.close();
    }
}
