package dev.holdfast.lock.test.spring;

import dev.holdfast.lock.test.InMemoryLockClient;
import dev.holdfast.lock.test.LeftLocks;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import java.util.concurrent.Semaphore;
import org.springframework.context.ApplicationContext;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.support.AbstractTestExecutionListener;

/**
 * Begins each test method with free locks and an empty history, and fails a test that leaves a lock held or a thread waiting. Registered for all
 * tests with Spring. Does nothing if the context has no {@link InMemoryLockClient}.
 */
public final class LocksTestExecutionListener extends AbstractTestExecutionListener {

    /** Runs inside everything else that a test does before and after its method, such as a transaction. */
    @Override
    public int getOrder() {
        return 10_000;
    }

    /** For each client, the permit to use it. Tests that share a client run one after the other, because each test resets it. */
    private static final Map<InMemoryLockClient, Semaphore> TURNS = Collections.synchronizedMap(new WeakHashMap<>());

    private static final ThreadLocal<Semaphore> TURN = new ThreadLocal<>();

    /** Resets the client, and ignores what the start of the context, or a test without this listener, has left. */
    @Override
    public void beforeTestMethod(TestContext test) {
        locks(test).ifPresent(locks -> {
            Semaphore turn = TURNS.computeIfAbsent(locks, client -> new Semaphore(1));
            turn.acquireUninterruptibly();
            TURN.set(turn);
            locks.reset();
        });
    }

    @Override
    public void afterTestMethod(TestContext test) {
        Semaphore turn = TURN.get();
        try {
            locks(test).ifPresent(LeftLocks::check);
        } finally {
            TURN.remove();
            if (turn != null) {
                turn.release();
            }
        }
    }

    private static Optional<InMemoryLockClient> locks(TestContext test) {
        if (!test.hasApplicationContext()) {
            return Optional.empty();
        }
        ApplicationContext context = test.getApplicationContext();
        return Optional.ofNullable(
                context.getBeanProvider(InMemoryLockClient.class).getIfUnique());
    }
}
