package dev.holdfast.lock.spring.shape;

import dev.holdfast.lock.HeldLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.testing.Await;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** What the bodies of generated methods saw. Their code calls it. */
public final class Seen {

    private static final ConcurrentMap<String, Seen> RUNS = new ConcurrentHashMap<>();

    /** What a body returns as its text. */
    public static final String TEXT = "seen";

    private final String shape;
    private final Set<String> locks;
    private final @Nullable LockClient client;
    private final List<String> faults = new CopyOnWriteArrayList<>();
    private final CountDownLatch ran = new CountDownLatch(1);

    private Seen(String shape, Set<String> locks, @Nullable LockClient client) {
        this.shape = shape;
        this.locks = locks;
        this.client = client;
    }

    /**
     * Begins a run of a shape.
     *
     * @param locks the locks that its body needs
     * @param client the client that holds them; null for a run without Holdfast
     */
    static Seen begin(String shape, Set<String> locks, @Nullable LockClient client) {
        Seen seen = new Seen(shape, locks, client);
        RUNS.put(shape, seen);
        return seen;
    }

    boolean awaitBody() throws InterruptedException {
        return ran.await(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    boolean hasRun() {
        return ran.getCount() == 0;
    }

    /** Returns what was wrong when a body ran. */
    List<String> faults() {
        return faults;
    }

    /** Called by a body. The state is a field of its object, which is null on a proxy. */
    public static String body(String shape, @Nullable Object state) {
        RUNS.get(shape).ran(state);
        return TEXT;
    }

    /** Called by a body with a parameter for its lease. */
    public static String body(String shape, @Nullable Object state, @Nullable Lease lease) {
        Seen seen = RUNS.get(shape);
        if (seen.client != null && lease == null) {
            seen.faults.add("it received no lease");
        }
        return body(shape, state);
    }

    private void ran(@Nullable Object state) {
        if (state == null) {
            faults.add("it ran on an object without its fields");
        }
        checkHeld("while it ran");
        if (TransactionSynchronizationManager.isSynchronizationActive()) {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void beforeCompletion() {
                    checkHeld("when its transaction committed");
                }
            });
        }
        ran.countDown();
    }

    private void checkHeld(String when) {
        if (client == null) {
            return;
        }
        Set<String> held = client.heldLocks().stream().map(HeldLock::lockName).collect(Collectors.toSet());
        if (!held.containsAll(locks)) {
            faults.add("it did not hold " + locks + " " + when);
        }
    }

    /** The way into an object that calls its own method. */
    public interface Entry {
        @Nullable
        Object enter() throws Exception;
    }

    /** A call that returns nothing. */
    public interface Action {
        void run() throws Exception;
    }

    /** What listeners listen to. */
    public record Happened(String shape) {}

    /** What a body throws that declares it. */
    public static final class Expected extends IOException {
        private static final long serialVersionUID = 1L;
    }
}
