package dev.holdfast.lock.kotlin

import dev.holdfast.lock.AcquireOptions
import dev.holdfast.lock.Lease
import dev.holdfast.lock.LeaseLostException
import dev.holdfast.lock.LeaseSource
import dev.holdfast.lock.spring.call.OuterLease
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
 * Runs a block under a lease of this lock, or under a permit of this semaphore. Suspends instead of blocking a thread, both to wait and to release.
 * The lock is released when the block has completed or failed, or when it was canceled and its `finally` blocks have ended. A coroutine that is
 * canceled while it waits acquires nothing.
 *
 * The coroutine context carries the lease. Inside the block, also in its children and on other dispatchers, `withLease` of the same lock runs its
 * block under the same lease. So does `withLease` inside a suspending function that `@DistributedLock` annotates.
 *
 * @param options the wait time (if not set, the client's default), the lease, limits
 * @param cancelOnLoss whether the block is canceled when the lease is lost
 * @throws dev.holdfast.lock.LockNotAcquiredException if the lock was busy until the wait ended
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
 * Does the same as the other [withLease], with a wait time and a lease as Kotlin durations.
 *
 * @param wait how long to wait for a busy lock; zero tries once
 * @param lease the length of the lease, 10 ms to 24 h; if null, the lease is renewed until the block has ended
 */
public suspend fun <T> LeaseSource.withLease(
    wait: Duration,
    lease: Duration? = null,
    cancelOnLoss: Boolean = false,
    block: suspend (Lease) -> T,
): T = withLease(options(wait, lease), cancelOnLoss, block)

/**
 * Runs a block as [withLease] does if the lock can be acquired. Otherwise, does nothing.
 *
 * @param options the wait time (if not set, there is no wait), the lease, limits
 * @return the result of the block; null if the lock was busy until the wait ended
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
 * Does the same as the other [withLeaseOrNull], with a wait time and a lease as Kotlin durations.
 *
 * @param wait how long to wait for a busy lock; zero tries once
 * @param lease the length of the lease, 10 ms to 24 h; if null, the lease is renewed until the block has ended
 * @return the result of the block; null if the lock was busy until the wait ended
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

/** Returns the lease of the innermost [withLease] around this coroutine; null if there is none, or if the lease is no longer held. */
public suspend fun currentLease(): Lease? = currentCoroutineContext()[HeldLeases]?.leases?.lastOrNull()?.second?.takeIf { it.isHeld }

/** Whether a coroutine may run inside an annotated function. This is so if the starter, which is optional, is available. */
private val hasAnnotatedCalls: Boolean = runCatching { Class.forName("dev.holdfast.lock.spring.call.OuterLease") }.isSuccess

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
            // A separate scope, so that its cancellation does not cancel the caller.
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

/** Waits for an acquisition. Canceling the wait cancels the acquisition. If a lease is granted in spite of this, it is released. */
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
