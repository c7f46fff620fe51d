package dev.holdfast.lock.kotlin

import dev.holdfast.lock.AcquireOptions
import dev.holdfast.lock.Lease
import dev.holdfast.lock.LeaseLock
import dev.holdfast.lock.LeaseLostException
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.job
import kotlinx.coroutines.suspendCancellableCoroutine
import kotlinx.coroutines.withContext
import java.util.concurrent.CompletionException
import java.util.concurrent.CompletionStage
import kotlin.coroutines.resume
import kotlin.coroutines.resumeWithException

/**
 * Runs a block under a lease of this lock. Suspends instead of blocking a thread, while it waits and while it releases. The lock is released when the
 * block has ended: completed, failed, or canceled and done with its `finally` blocks. A coroutine that is canceled while it waits acquires nothing.
 *
 * The coroutine context carries the lease: inside the block, also in its children and on other dispatchers, `withLease` of the same lock runs its
 * block under the same lease.
 *
 * @param options the wait (the client's default if none is given), the lease, limits
 * @param cancelOnLoss whether the block is canceled when the lease is lost
 * @throws dev.holdfast.lock.LockNotAcquiredException if busy to the end of the wait
 * @throws dev.holdfast.lock.LockUnavailableException if Redis did not answer
 * @throws LeaseLostException if the block completed and its lease had ended before
 */
public suspend fun <T> LeaseLock.withLease(
    options: AcquireOptions = AcquireOptions.defaults(),
    cancelOnLoss: Boolean = false,
    block: suspend (Lease) -> T,
): T {
    val outer = heldLease(this)
    return if (outer != null) block(outer) else runUnder(acquireAsync(options).awaitLease { it }, cancelOnLoss, block)
}

/**
 * Does the same as [withLease] if the lock can be acquired, and otherwise nothing.
 *
 * @param options the wait (none if none is given), the lease, limits
 * @return what the block returns; null if the lock was busy to the end of the wait
 */
public suspend fun <T : Any> LeaseLock.withLeaseOrNull(
    options: AcquireOptions = AcquireOptions.defaults(),
    cancelOnLoss: Boolean = false,
    block: suspend (Lease) -> T,
): T? {
    val outer = heldLease(this)
    if (outer != null) {
        return block(outer)
    }
    val lease = tryAcquireAsync(options).awaitLease { it.orElse(null) } ?: return null
    return runUnder(lease, cancelOnLoss, block)
}

/** The lease of the innermost [withLease] around this coroutine, if it is still held. */
public suspend fun currentLease(): Lease? = currentCoroutineContext()[HeldLeases]?.leases?.lastOrNull()?.second?.takeIf { it.isHeld }

private suspend fun heldLease(lock: LeaseLock): Lease? =
    currentCoroutineContext()[HeldLeases]?.leases?.lastOrNull { it.first == lock && it.second.isHeld }?.second

private suspend fun <T> LeaseLock.runUnder(lease: Lease, cancelOnLoss: Boolean, block: suspend (Lease) -> T): T {
    val outcome = runCatching { runInside(lease, cancelOnLoss, block) }
    val loss = runCatching { withContext(NonCancellable) { lease.releaseAsync().awaitEnd() } }.exceptionOrNull()
    val failure = outcome.exceptionOrNull() ?: loss
    if (failure != null) {
        loss?.takeIf { it !== failure && it !in failure.suppressed }?.let(failure::addSuppressed)
        throw failure
    }
    return outcome.getOrThrow()
}

private suspend fun <T> LeaseLock.runInside(lease: Lease, cancelOnLoss: Boolean, block: suspend (Lease) -> T): T {
    val outer = currentCoroutineContext()[HeldLeases]?.leases.orEmpty()
    var lost: LeaseLostException? = null
    try {
        return withContext(HeldLeases(outer + (this to lease))) {
            // A scope of its own: its cancellation is not the caller's.
            coroutineScope {
                if (cancelOnLoss) {
                    val job = coroutineContext.job
                    lease.onLost { loss ->
                        lost = LeaseLostException(loss)
                        job.cancel(CancellationException("The lease was lost", lost))
                    }
                }
                block(lease)
            }
        }
    } catch (canceled: CancellationException) {
        throw lost?.takeIf { currentCoroutineContext().job.isActive } ?: canceled
    }
}

/** Canceling the wait cancels the acquisition. A lease that comes all the same is released. */
private suspend fun <A, R : Lease?> CompletionStage<A>.awaitLease(lease: (A) -> R): R =
    suspendCancellableCoroutine { caller ->
        val asked = toCompletableFuture()
        caller.invokeOnCancellation { asked.cancel(false) }
        asked.whenComplete { answer, failure ->
            if (failure != null) {
                caller.resumeWithException(causeOf(failure))
            } else {
                caller.resume(lease(answer)) { _, acquired, _ -> acquired?.releaseAsync() }
            }
        }
    }

private suspend fun CompletionStage<*>.awaitEnd() {
    suspendCancellableCoroutine { caller ->
        whenComplete { _, failure -> if (failure == null) caller.resume(Unit) else caller.resumeWithException(causeOf(failure)) }
    }
}

private fun causeOf(failure: Throwable): Throwable = if (failure is CompletionException) failure.cause ?: failure else failure
