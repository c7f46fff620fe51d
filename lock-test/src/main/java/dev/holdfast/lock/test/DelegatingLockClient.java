package dev.holdfast.lock.test;

import dev.holdfast.lock.FoundLocks;
import dev.holdfast.lock.HeldLock;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LeaseSemaphore;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.LockRecord;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.LockStatistics;
import dev.holdfast.lock.SelfCheck;
import dev.holdfast.lock.WaitingLock;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Passes the calls of the code under test to a real client. The subclass adds the methods for tests. */
abstract class DelegatingLockClient implements LockClient {

    final SeveralNames several = new SeveralNames();

    /** Returns the client that receives the calls. */
    abstract LockClient delegate();

    @Override
    public LeaseLock getLock(String name, LockKind kind) {
        return delegate().getLock(name, kind);
    }

    @Override
    public LeaseSemaphore getSemaphore(String name, int permits) {
        return delegate().getSemaphore(name, permits);
    }

    @Override
    public LeaseSemaphore getFairSemaphore(String name, int permits) {
        return delegate().getFairSemaphore(name, permits);
    }

    @Override
    public LeaseLock getMultiLock(Collection<String> names) {
        LeaseLock lock = delegate().getMultiLock(names);
        several.add(lock.name(), names);
        return lock;
    }

    @Override
    public String clientName() {
        return delegate().clientName();
    }

    @Override
    public LockRecord getRecord(String name) {
        return delegate().getRecord(name);
    }

    @Override
    public CompletionStage<Void> raiseTokens(String name, long token) {
        return delegate().raiseTokens(name, token);
    }

    @Override
    public Optional<LockState> inspect(String name) {
        return delegate().inspect(name);
    }

    /** Does not need a key prefix, unlike a real client: a Redis in memory has no keys of others. */
    @Override
    public FoundLocks findLocks() {
        return delegate().findLocks("*");
    }

    @Override
    public FoundLocks findLocks(String pattern) {
        return delegate().findLocks(pattern);
    }

    @Override
    public boolean forceRelease(String name) {
        return delegate().forceRelease(name);
    }

    @Override
    public boolean requestStop(String name) {
        return delegate().requestStop(name);
    }

    @Override
    public List<HeldLock> heldLocks() {
        return delegate().heldLocks();
    }

    @Override
    public List<WaitingLock> waitingLocks() {
        return delegate().waitingLocks();
    }

    @Override
    public LockStatistics statistics() {
        return delegate().statistics();
    }

    @Override
    public void addListener(LockListener listener) {
        delegate().addListener(listener);
    }

    @Override
    public void removeListener(LockListener listener) {
        delegate().removeListener(listener);
    }

    @Override
    public CompletionStage<Void> connected() {
        return delegate().connected();
    }

    @Override
    public CompletionStage<SelfCheck> selfCheck() {
        return delegate().selfCheck();
    }
}
