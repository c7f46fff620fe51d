package dev.holdfast.lock.kotlin

import dev.holdfast.lock.AcquireOptions
import dev.holdfast.lock.Lease
import dev.holdfast.lock.LeaseLostException
import dev.holdfast.lock.LeaseSource
import dev.holdfast.lock.spring.interceptor.OuterLease
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
import kotlin.time.Duration
import kotlin.time.toJavaDuration

/**
 * Runs a block under a lease of this lock, or under a permit of this semaphore. Suspends instead of blocking a thread, while it waits and while it releases. The lock is released when the
 * block has ended: completed, failed, or canceled and done with its `finally` blocks. A coroutine that is canceled while it waits acquires nothing.
 *
 * The coroutine context carries the lease: inside the block, also in its children and on other dispatchers, `withLease` of the same lock runs its
 * block under the same lease. So does `withLease` inside a suspending function that `@DistributedLock` annotates.
 *
 * @param options the wait (the client's default if none is given), the lease, limits
 * @param cancelOnLoss whether the block is canceled when the lease is lost
 * @throws dev.holdfast.lock.LockNotAcquiredException if busy to the end of the wait
 * @throws dev.holdfast.lock.LockUnavailableException if Redis did not answer
 * @throws LeaseLostException if the block completed and its lease had ended before
 * @throws IllegalStateException if an annotated call that is not a suspending function holds the lock, and waits for the block
 */
public suspend fun <T> LeaseSource.withLease(
    options: AcquireOptions = AcquireOptions.defaults(),
    cancelOnLoss: Boolean = false,
    block: suspend (Lease) -> T,
): T {
    return runInOuter(cancelOnLoss, block) { runUnder(acquireAsync(options).awaitLease { it }, cancelOnLoss, block) }
}

/**
 * Does the same as the other [withLease], for a wait and a lease in Kotlin's durations.
 *
 * @param wait how long to wait for a busy lock; zero tries once
 * @param lease the length of the lease, 10 ms to 24 h; if none is given, it is renewed until the block has ended
 */
public suspend fun <T> LeaseSource.withLease(
    wait: Duration,
    lease: Duration? = null,
    cancelOnLoss: Boolean = false,
    block: suspend (Lease) -> T,
): T = withLease(options(wait, lease), cancelOnLoss, block)

/**
 * Does the same as [withLease] if the lock can be acquired, and otherwise nothing.
 *
 * @param options the wait (none if none is given), the lease, limits
 * @return what the block returns; null if the lock was busy to the end of the wait
 */
public suspend fun <T : Any> LeaseSource.withLeaseOrNull(
    options: AcquireOptions = AcquireOptions.defaults(),
    cancelOnLoss: Boolean = false,
    block: suspend (Lease) -> T,
): T? {
    return runInOuter<T?>(cancelOnLoss, block) {
        tryAcquireAsync(options).awaitLease { it.orElse(null) }?.let { runUnder(it, cancelOnLoss, block) }
    }
}

/**
 * Does the same as the other [withLeaseOrNull], for a wait and a lease in Kotlin's durations.
 *
 * @param wait how long to wait for a busy lock; zero tries once
 * @param lease the length of the lease, 10 ms to 24 h; if none is given, it is renewed until the block has ended
 * @return what the block returns; null if the lock was busy to the end of the wait
 */
public suspend fun <T : Any> LeaseSource.withLeaseOrNull(
    wait: Duration,
    lease: Duration? = null,
    cancelOnLoss: Boolean = false,
    block: suspend (Lease) -> T,
): T? = withLeaseOrNull(options(wait, lease), cancelOnLoss, block)

private fun options(wait: Duration, lease: Duration?): AcquireOptions {
    val waiting = AcquireOptions.defaults().waitAtMost(wait.toJavaDuration())
    return if (lease == null) waiting else waiting.lease(lease.toJavaDuration())
}

/** The lease of the innermost [withLease] around this coroutine, if it is still held. */
public suspend fun currentLease(): Lease? = currentCoroutineContext()[HeldLeases]?.leases?.lastOrNull()?.second?.takeIf { it.isHeld }

/** Whether annotated functions can be around a coroutine: the starter is optional. */
private val hasAnnotatedCalls: Boolean = runCatching { Class.forName("dev.holdfast.lock.spring.interceptor.OuterLease") }.isSuccess

private suspend fun <T> LeaseSource.runInOuter(cancelOnLoss: Boolean, block: suspend (Lease) -> T, acquire: suspend () -> T): T {
    heldLease(this)?.let { return block(it) }
    val outer = if (hasAnnotatedCalls) OuterLease.find(currentCoroutineContext(), this) else null
    if (outer == null) {
        return acquire()
    }
    try {
        return runInside(outer.lease(), cancelOnLoss, block)
    } finally {
        withContext(NonCancellable) { outer.leave().awaitEnd() }
    }
}

private suspend fun heldLease(lock: LeaseSource): Lease? =
    currentCoroutineContext()[HeldLeases]?.leases?.lastOrNull { it.first == lock && it.second.isHeld }?.second

private suspend fun <T> LeaseSource.runUnder(lease: Lease, cancelOnLoss: Boolean, block: suspend (Lease) -> T): T {
    val outcome = runCatching { runInside(lease, cancelOnLoss, block) }
    val loss = runCatching { withContext(NonCancellable) { lease.releaseAsync().awaitEnd() } }.exceptionOrNull()
    val failure = outcome.exceptionOrNull() ?: loss
    if (failure != null) {
        loss?.takeIf { it !== failure && it !in failure.suppressed }?.let(failure::addSuppressed)
        throw failure
    }
    return outcome.getOrThrow()
}

private suspend fun <T> LeaseSource.runInside(lease: Lease, cancelOnLoss: Boolean, block: suspend (Lease) -> T): T {
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
