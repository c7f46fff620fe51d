package dev.holdfast.check;

import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LockUnavailableException;

/** A lock that its thread holds. Each check acquires the lock a second time and releases it again. */
final class ThreadHold implements Hold {

    private final LeaseLock lock;
    private final long token;
    private final TokenLosses losses;

    ThreadHold(LeaseLock lock, long token, TokenLosses losses) {
        this.lock = lock;
        this.token = token;
        this.losses = losses;
    }

    @Override
    public long token() {
        return token;
    }

    @Override
    public boolean isHeld() {
        if (!lock.isHeldByCurrentThread()) {
            return false;
        }
        try {
            if (!lock.tryLock()) {
                return false;
            }
            // If the hold was lost meanwhile, the lock was acquired anew.
            boolean still = lock.holdCount() == 2 && lock.fencingToken() == token;
            lock.unlock();
            return still;
        } catch (LeaseLostException | LockUnavailableException lost) {
            return false;
        }
    }

    @Override
    public Ending release() {
        try {
            lock.unlock();
            return Ending.RELEASED;
        } catch (LeaseLostException e) {
            return Ending.LOST;
        } catch (RuntimeException e) {
            e.printStackTrace();
            return Ending.FAILED;
        } finally {
            losses.forget(token);
        }
    }
}
