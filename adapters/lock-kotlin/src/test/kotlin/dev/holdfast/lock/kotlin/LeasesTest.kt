package dev.holdfast.lock.kotlin

import dev.holdfast.lock.AcquireOptions
import dev.holdfast.lock.LeaseLostException
import dev.holdfast.lock.LockNotAcquiredException
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import java.time.Duration
import java.util.UUID
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

@Timeout(60)
class LeasesTest {

    private val name = "kotlin-" + UUID.randomUUID()
    private val lock = client.getLock(name)

    private fun isHeld() = client.inspect(name).isPresent

    @Test
    fun lockIsHeldWhileTheBlockRuns() = runBlocking<Unit> {
        val token = lock.withLease { lease ->
            delay(1)
            assertThat(isHeld()).isTrue()
            assertThat(currentLease()).isSameAs(lease)
            lease.fencingToken()
        }
        assertThat(token).isPositive()
        assertThat(isHeld()).isFalse()
        assertThat(currentLease()).isNull()
    }

    @Test
    fun noThreadIsBlocked() = runBlocking<Unit> {
        // All on this one thread: a blocking wait would be the last thing that it does.
        var count = 0
        List(50) {
            async {
                lock.withLease(AcquireOptions.defaults().waitAtMost(Duration.ofMinutes(1))) {
                    val seen = count
                    delay(1)
                    count = seen + 1
                }
            }
        }.awaitAll()
        assertThat(count).isEqualTo(50)
    }

    @Test
    fun failureReleasesTheLock() = runBlocking<Unit> {
        val failure = runCatching { lock.withLease { error("no stock") } }.exceptionOrNull()
        assertThat(failure).isInstanceOf(IllegalStateException::class.java).hasMessage("no stock")
        assertThat(isHeld()).isFalse()
    }

    @Test
    fun cancellationReleasesTheLockAfterTheBlocksFinally() = runBlocking<Unit> {
        val begun = CompletableDeferred<Unit>()
        var heldToTheEnd = false
        val job = launch {
            lock.withLease {
                try {
                    begun.complete(Unit)
                    awaitCancellation()
                } finally {
                    withContext(NonCancellable) {
                        delay(100)
                        heldToTheEnd = isHeld()
                    }
                }
            }
        }
        begun.await()
        job.cancelAndJoin()
        assertThat(heldToTheEnd).isTrue()
        assertThat(isHeld()).isFalse()
    }

    @Test
    fun canceledWaitLeavesNothing() = runBlocking<Unit> {
        other.getLock(name).acquire().use {
            val waiting = launch { lock.withLease { } }
            awaitUntil { client.waitingLocks().any { it.lockName() == name } }
            waiting.cancelAndJoin()
            awaitUntil { client.waitingLocks().none { it.lockName() == name } }
        }
        assertThat(isHeld()).isFalse()
    }

    @Test
    fun cancellationAtAnyMomentLeavesNothing() = runBlocking<Unit> {
        repeat(100) { round ->
            val job = launch(Dispatchers.Default) { lock.withLease { awaitCancellation() } }
            val end = System.nanoTime() + round * 10_000L
            while (System.nanoTime() < end) {
                Thread.onSpinWait()
            }
            job.cancelAndJoin()
            awaitUntil { client.heldLocks().none { it.lockName() == name } }
        }
        awaitUntil { !isHeld() }
    }

    @Test
    fun blockInsideRunsUnderTheSameLease() = runBlocking<Unit> {
        lock.withLease { outer ->
            withContext(Dispatchers.IO) {
                client.getLock(name).withLease { inner -> assertThat(inner).isSameAs(outer) }
            }
            coroutineScope {
                List(2) { async { lock.withLeaseOrNull { it.fencingToken() } } }.awaitAll()
            }.forEach { assertThat(it).isEqualTo(outer.fencingToken()) }
            assertThat(isHeld()).isTrue()
        }
        assertThat(isHeld()).isFalse()
    }

    @Test
    fun blockInsideALostLeaseAcquiresTheLockAnew() = runBlocking<Unit> {
        val failure = runCatching {
            lock.withLease { outer ->
                other.forceRelease(name)
                assertThat(outer.verify()).isFalse()
                lock.withLease { inner -> assertThat(inner.fencingToken()).isGreaterThan(outer.fencingToken()) }
            }
        }.exceptionOrNull()
        assertThat(failure).isInstanceOf(LeaseLostException::class.java)
    }

    @Test
    fun permitOfASemaphoreIsHeldWhileTheBlockRuns() = runBlocking<Unit> {
        val semaphore = client.getSemaphore(name, 2)
        semaphore.withLease { outer ->
            assertThat(semaphore.availablePermits()).isEqualTo(1)
            client.getSemaphore(name, 2).withLease { inner -> assertThat(inner).isSameAs(outer) }
            other.getSemaphore(name, 2).withLease { assertThat(semaphore.withLeaseOrNull { "inside" }).isEqualTo("inside") }
        }
        assertThat(semaphore.availablePermits()).isEqualTo(2)
        other.getSemaphore(name, 2).acquire().use {
            other.getSemaphore(name, 2).acquire().use { assertThat(semaphore.withLeaseOrNull { "ran" }).isNull() }
        }
    }

    @Test
    fun waitAndLeaseMayBeDurationsOfKotlin() = runBlocking<Unit> {
        lock.withLease(wait = 5.seconds, lease = 1.hours) { lease ->
            assertThat(lease.remaining()).isBetween(Duration.ofMinutes(30), Duration.ofHours(1))
        }
        other.getLock(name).acquire().use {
            assertThat(runCatching { lock.withLease(wait = 0.seconds) { } }.exceptionOrNull())
                .isInstanceOf(LockNotAcquiredException::class.java)
            assertThat(lock.withLeaseOrNull(wait = 50.milliseconds) { "ran" }).isNull()
        }
        assertThat(lock.withLeaseOrNull(wait = 5.seconds) { "ran" }).isEqualTo("ran")
    }

    @Test
    fun busyLockIsAnExceptionOrNull() = runBlocking<Unit> {
        other.getLock(name).acquire().use {
            val once = AcquireOptions.defaults().waitAtMost(Duration.ZERO)
            assertThat(runCatching { lock.withLease(once) { } }.exceptionOrNull())
                .isInstanceOf(LockNotAcquiredException::class.java)
            assertThat(lock.withLeaseOrNull { "ran" }).isNull()
        }
        assertThat(lock.withLeaseOrNull { "ran" }).isEqualTo("ran")
    }

    @Test
    fun lossCancelsTheBlockWhereAskedFor() = runBlocking<Unit> {
        var canceled = false
        val failure = runCatching {
            lock.withLease(cancelOnLoss = true) { lease ->
                other.forceRelease(name)
                try {
                    withContext(Dispatchers.IO) { lease.verify() }
                    awaitCancellation()
                } catch (e: CancellationException) {
                    canceled = true
                    throw e
                }
            }
        }.exceptionOrNull()
        assertThat(canceled).isTrue()
        assertThat(failure).isInstanceOf(LeaseLostException::class.java)
    }

    @Test
    fun cancellationOfTheCallerStaysACancellation() = runBlocking<Unit> {
        val begun = CompletableDeferred<Unit>()
        var seen: Throwable? = null
        val job = launch {
            try {
                lock.withLease(cancelOnLoss = true) {
                    begun.complete(Unit)
                    awaitCancellation()
                }
            } catch (e: CancellationException) {
                seen = e
                throw e
            }
        }
        begun.await()
        job.cancelAndJoin()
        assertThat(seen).isInstanceOf(CancellationException::class.java)
        assertThat(isHeld()).isFalse()
    }

    companion object {
        private val client = open(Duration.ofMinutes(1))
        private val other = open(Duration.ofMinutes(1))

        @JvmStatic
        @AfterAll
        fun stop() {
            client.close()
            other.close()
        }
    }
}
