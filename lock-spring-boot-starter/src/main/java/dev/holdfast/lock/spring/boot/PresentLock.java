package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A lock of whichever client is open when it is used: it may be asked for before the context starts, and outlives a restart. */
final class PresentLock implements LeaseLock {

    private final RestartableLockClient clients;
    private final String lockName;
    private final @Nullable LockKind kind;
    private final Function<LockClient, LeaseLock> finder;
    private volatile @Nullable Found found;

    /**
     * Finds nothing yet.
     *
     * @param clients knows the present client
     * @param lockName the name, or all of them
     * @param kind null for a lock made of several, which only the client can describe
     * @param finder asks a client for the lock
     */
    PresentLock(
            RestartableLockClient clients,
            String lockName,
            @Nullable LockKind kind,
            Function<LockClient, LeaseLock> finder) {
        this.clients = clients;
        this.lockName = lockName;
        this.kind = kind;
        this.finder = finder;
    }

    /** A lock and the client that it belongs to. */
    private record Found(LockClient client, LeaseLock lock) {}

    private LeaseLock lockNow() {
        return lockOf(clients.require(lockName));
    }

    private LeaseLock lockOf(LockClient client) {
        Found known = found;
        if (known == null || known.client() != client) {
            known = new Found(client, finder.apply(client));
            found = known;
        }
        return known.lock();
    }

    /** For what answers without Redis: before the start nobody holds anything. */
    private <T> T local(Function<LeaseLock, T> question, T beforeStart) {
        LockClient client = clients.present();
        return client == null ? beforeStart : question.apply(lockOf(client));
    }

    @Override
    public String name() {
        return kind == null ? lockNow().name() : lockName;
    }

    @Override
    public LockKind kind() {
        return kind == null ? lockNow().kind() : kind;
    }

    @Override
    public void lock() {
        lockNow().lock();
    }

    @Override
    public void lock(Duration lease) {
        lockNow().lock(lease);
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        lockNow().lockInterruptibly();
    }

    @Override
    public boolean tryLock() {
        return lockNow().tryLock();
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        return lockNow().tryLock(time, unit);
    }

    @Override
    public boolean tryLock(Duration wait) throws InterruptedException {
        return lockNow().tryLock(wait);
    }

    @Override
    public boolean tryLock(Duration wait, Duration lease) throws InterruptedException {
        return lockNow().tryLock(wait, lease);
    }

    @Override
    public void unlock() {
        lockNow().unlock();
    }

    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException("A condition cannot be kept across processes");
    }

    @Override
    public boolean isLocked() {
        return lockNow().isLocked();
    }

    @Override
    public boolean isHeldByCurrentThread() {
        return local(LeaseLock::isHeldByCurrentThread, false);
    }

    @Override
    public int holdCount() {
        return local(LeaseLock::holdCount, 0);
    }

    @Override
    public Duration remainingLease() {
        return local(LeaseLock::remainingLease, Duration.ZERO);
    }

    @Override
    public long fencingToken() {
        return lockNow().fencingToken();
    }

    @Override
    public Lease acquire(AcquireOptions options) {
        return lockNow().acquire(options);
    }

    @Override
    public Optional<Lease> tryAcquire(AcquireOptions options) {
        return lockNow().tryAcquire(options);
    }

    @Override
    public CompletionStage<Lease> acquireAsync(AcquireOptions options) {
        LockClient client = clients.present();
        return client == null ? notStarted() : lockOf(client).acquireAsync(options);
    }

    @Override
    public CompletionStage<Optional<Lease>> tryAcquireAsync(AcquireOptions options) {
        LockClient client = clients.present();
        return client == null ? notStarted() : lockOf(client).tryAcquireAsync(options);
    }

    private <T> CompletionStage<T> notStarted() {
        return CompletableFuture.failedFuture(RestartableLockClient.notStarted(lockName));
    }

    @Override
    public String toString() {
        return "Lock " + lockName;
    }
}
