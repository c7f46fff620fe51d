package dev.holdfast.lock.kotlin

import dev.holdfast.lock.AcquireOptions
import dev.holdfast.lock.Lease
import dev.holdfast.lock.LeaseLostException
import dev.holdfast.lock.LockKind
import dev.holdfast.lock.LockNotAcquiredException
import dev.holdfast.lock.spring.DistributedLock
import dev.holdfast.lock.spring.LockContext
import dev.holdfast.lock.spring.OnBusy
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import reactor.core.publisher.Mono
import java.time.Duration
import java.util.UUID

/** Annotated suspending functions, and functions that return a Flow. */
@Timeout(60)
class SuspendingFunctionsTest {

    private val key = UUID.randomUUID().toString()

    private fun isHeld() = locks.inspect("job:$key").isPresent

    @Test
    fun functionRunsUnderItsLock() = runBlocking<Unit> {
        val token = jobs.run(key) {
            assertThat(isHeld()).isTrue()
            delay(1)
            assertThat(isHeld()).isTrue()
        }
        assertThat(token).isPositive()
        assertThat(isHeld()).isFalse()
    }

    @Test
    fun callThroughThisIsLocked() = runBlocking<Unit> {
        val token = jobs.viaThis(key) {
            assertThat(isHeld()).isTrue()
            delay(1)
            assertThat(isHeld()).isTrue()
        }
        assertThat(token).isPositive()
        assertThat(isHeld()).isFalse()
    }

    @Test
    fun callThroughThisInsideTheLockBorrowsIt() = runBlocking<Unit> {
        jobs.run(key) { assertThat(jobs.viaThis(key) {}).isPositive() }
        assertThat(isHeld()).isFalse()
    }

    @Test
    fun noThreadIsBlocked() = runBlocking<Unit> {
        var count = 0
        List(20) {
            async {
                jobs.run(key) {
                    val seen = count
                    delay(1)
                    count = seen + 1
                }
            }
        }.awaitAll()
        assertThat(count).isEqualTo(20)
    }

    @Test
    fun failureReleasesTheLockAndReachesTheCaller() = runBlocking<Unit> {
        val failure = runCatching { jobs.run(key) { error("no stock") } }.exceptionOrNull()
        assertThat(failure).isInstanceOf(IllegalStateException::class.java).hasMessage("no stock")
        assertThat(isHeld()).isFalse()
    }

    @Test
    fun canceledFunctionKeepsItsLockUntilItHasEnded() = runBlocking<Unit> {
        val begun = CompletableDeferred<Unit>()
        val mayEnd = CompletableDeferred<Unit>()
        val heldToTheEnd = CompletableDeferred<Boolean>()
        val job = launch {
            jobs.run(key) {
                try {
                    begun.complete(Unit)
                    awaitCancellation()
                } finally {
                    withContext(NonCancellable) {
                        mayEnd.await()
                        heldToTheEnd.complete(isHeld())
                    }
                }
            }
        }
        begun.await()
        job.cancelAndJoin()
        // The release would take less than that.
        delay(200)
        mayEnd.complete(Unit)
        assertThat(heldToTheEnd.await()).isTrue()
        awaitUntil { !isHeld() }
    }

    @Test
    fun canceledWaitLeavesNothing() = runBlocking<Unit> {
        other.getLock("job:$key").acquire().use {
            val waiting = launch { jobs.run(key) { } }
            awaitUntil { locks.waitingLocks().any { it.lockName() == "job:$key" } }
            waiting.cancelAndJoin()
            awaitUntil { locks.waitingLocks().none { it.lockName() == "job:$key" } }
        }
        assertThat(isHeld()).isFalse()
    }

    @Test
    fun cancellationAtAnyMomentLeavesNothing() = runBlocking<Unit> {
        repeat(100) { round ->
            val job = launch(Dispatchers.Default) { jobs.run(key) { awaitCancellation() } }
            val end = System.nanoTime() + round * 10_000L
            while (System.nanoTime() < end) {
                Thread.onSpinWait()
            }
            job.cancelAndJoin()
            awaitUntil { locks.heldLocks().none { it.lockName() == "job:$key" } }
        }
        awaitUntil { !isHeld() }
    }

    @Test
    fun callInsideReentersOnEveryDispatcher() = runBlocking<Unit> {
        jobs.run(key) {
            val outer = LockContext.current().fencingToken()
            delay(1)
            withContext(Dispatchers.IO) {
                assertThat(jobs.run(key) { delay(1) }).isEqualTo(outer)
            }
            coroutineScope {
                List(3) { async(Dispatchers.Default) { jobs.run(key) { delay(1) } } }.awaitAll()
            }.forEach { assertThat(it).isEqualTo(outer) }
            assertThat(jobs.flow(key, flowOf(1)).toList()).containsExactly(1)
            assertThat(jobs.blocking(key)).isEqualTo(outer)
            assertThat(isHeld()).isTrue()
        }
        assertThat(isHeld()).isFalse()
    }

    @Test
    fun blockInsideBorrowsTheLeaseOfTheFunction() = runBlocking<Unit> {
        val lock = locks.getLock("job:$key")
        jobs.run(key) {
            val outer = LockContext.current().fencingToken()
            withContext(Dispatchers.IO) {
                assertThat(lock.withLease { it.close(); currentLease()!!.fencingToken() }).isEqualTo(outer)
            }
            coroutineScope {
                List(3) { async(Dispatchers.Default) { lock.withLeaseOrNull { it.fencingToken() } } }.awaitAll()
            }.forEach { assertThat(it).isEqualTo(outer) }
            assertThat(isHeld()).isTrue()
        }
        assertThat(isHeld()).isFalse()
        jobs.flow(key, flow { emit(lock.withLease { isHeld() }) }).collect { assertThat(it).isTrue() }
        awaitUntil { !isHeld() }
        assertThat(lock.withLease { isHeld() }).isTrue()
    }

    @Test
    fun blockInsideOfAnotherLockAcquiresIt() = runBlocking<Unit> {
        jobs.run(key) {
            val outer = LockContext.current()
            assertThat(other.getLock("job:$key").withLeaseOrNull { }).isNull()
            assertThat(locks.getLock("other:$key").withLease { it.lockName() }).isEqualTo("other:$key")
            assertThat(outer.isHeld).isTrue()
        }
    }

    @Test
    fun blockInsideABlockingCallOrForAnotherKindIsRefusedAtOnce() = runBlocking<Unit> {
        val unbounded = AcquireOptions.defaults().waitAtMost(Duration.ofDays(1))
        jobs.run(key) {
            assertThat(runCatching { locks.getLock("job:$key", LockKind.FAIR).withLease(unbounded) { } }.exceptionOrNull())
                .isInstanceOf(IllegalStateException::class.java).hasMessageContaining("would wait for itself")
        }
        assertThatThrownBy { jobs.blocking(key) { runBlocking { locks.getLock("job:$key").withLease(unbounded) { } } } }
            .isInstanceOf(IllegalStateException::class.java)
            .hasMessageContainingAll("job:$key", "would wait for itself", "LockContext.current()")
        assertThat(isHeld()).isFalse()
    }

    @Test
    fun leaseIsTheCurrentOneAfterASuspensionAndNotOnTheThreadsThatItLeft() = runBlocking<Unit> {
        val inside = CompletableDeferred<Unit>()
        val goOn = CompletableDeferred<Unit>()
        val job = launch {
            jobs.run(key) {
                inside.complete(Unit)
                goOn.await()
                assertThat(LockContext.current().lockName()).isEqualTo("job:$key")
                withContext(Dispatchers.IO) {
                    assertThat(LockContext.current().lockName()).isEqualTo("job:$key")
                }
            }
        }
        inside.await()
        // The same thread, while the function is suspended.
        assertThat(LockContext.find()).isEmpty()
        goOn.complete(Unit)
        job.join()
        assertThat(job.isCancelled).isFalse()
        assertThat(LockContext.find()).isEmpty()
    }

    @Test
    fun parameterReceivesTheLease() = runBlocking<Unit> {
        assertThat(jobs.token(key, null)).isPositive()
    }

    @Test
    fun flowIsCollectedUnderTheLock() = runBlocking<Unit> {
        val cold = jobs.flow(key, flow {
            emit(isHeld())
            delay(1)
            emit(LockContext.current().isHeld)
        })
        assertThat(isHeld()).isFalse()
        assertThat(cold.toList()).containsExactly(true, true)
        assertThat(isHeld()).isFalse()
        assertThat(cold.first()).isTrue()
        awaitUntil { !isHeld() }
    }

    @Test
    fun canceledFlowKeepsItsLockUntilItHasEnded() = runBlocking<Unit> {
        val mayEnd = CompletableDeferred<Unit>()
        val heldToTheEnd = CompletableDeferred<Boolean>()
        val slow = jobs.flow(key, flow {
            try {
                emit(1)
                awaitCancellation()
            } finally {
                withContext(NonCancellable) {
                    mayEnd.await()
                    heldToTheEnd.complete(isHeld())
                }
            }
        })
        assertThat(slow.first()).isEqualTo(1)
        delay(200)
        mayEnd.complete(Unit)
        assertThat(heldToTheEnd.await()).isTrue()
        awaitUntil { !isHeld() }
    }

    @Test
    fun suspendingFunctionMayReturnAFlow() = runBlocking<Unit> {
        assertThat(jobs.suspendingFlow(key).toList()).containsExactly(true)
        awaitUntil { !isHeld() }
    }

    @Test
    fun busyAndLostAreExceptions() = runBlocking<Unit> {
        other.getLock("job:$key").acquire().use {
            assertThat(runCatching { jobs.once(key) }.exceptionOrNull()).isInstanceOf(LockNotAcquiredException::class.java)
        }
        assertThat(runCatching { jobs.run(key) { other.forceRelease("job:$key") } }.exceptionOrNull())
            .isInstanceOf(LeaseLostException::class.java)
    }

    @Test
    fun skippedFunctionReturnsAnEmptyValue() = runBlocking<Unit> {
        other.getLock("skipped").acquire().use {
            assertThat(jobs.skippedText()).isNull()
            assertThat(jobs.skippedList()).isEmpty()
            jobs.skipped()
        }
        assertThat(jobs.skippedText()).isEqualTo("ran")
        assertThat(jobs.skippedList()).containsExactly("ran")
    }

    @Test
    fun fallbackMaySuspendAndSeeTheReason() = runBlocking<Unit> {
        other.getLock("fallback:$key").acquire().use {
            assertThat(jobs.withFallback(key)).isEqualTo("busy: fallback:$key for $key")
        }
        assertThat(jobs.withFallback(key)).isEqualTo("ran")
    }

    @Test
    fun functionThatCannotBeSkippedIsRefused() {
        assertRefused(SkippedNumber::class.java).hasMessageContaining("a skipped call has nothing to return")
    }

    @Test
    fun functionWhoseTypeIsNotNullableCannotBeSkipped() {
        assertRefused(SkippedText::class.java).hasMessageContaining("a skipped call has nothing to return")
    }

    @Test
    fun suspendingFunctionThatReturnsAPublisherIsRefused() {
        assertRefused(SuspendingPublisher::class.java).hasMessageContaining("work behind a reactor.core.publisher.Mono")
    }

    open class Jobs {
        @DistributedLock(name = "job", key = "#key", waitTime = "30s")
        open suspend fun run(key: String, body: suspend () -> Unit): Long {
            body()
            return LockContext.current().fencingToken()
        }

        open suspend fun viaThis(key: String, body: suspend () -> Unit): Long = run(key, body)

        @DistributedLock(name = "job", key = "#key", waitTime = "0s")
        open suspend fun once(key: String) = key

        @DistributedLock(name = "job", key = "#p0")
        open suspend fun token(key: String, lease: Lease?): Long {
            delay(1)
            return lease!!.fencingToken()
        }

        @DistributedLock(name = "job", key = "#key")
        open fun blocking(key: String): Long = LockContext.current().fencingToken()

        @DistributedLock(name = "job", key = "#key")
        open fun blocking(key: String, body: Runnable) = body.run()

        @DistributedLock(name = "job", key = "#key")
        open fun <T> flow(key: String, items: Flow<T>): Flow<T> = items

        @DistributedLock(name = "job", key = "#key")
        open suspend fun suspendingFlow(key: String): Flow<Boolean> {
            delay(1)
            return flow { emit(locks.inspect("job:$key").isPresent) }
        }

        @DistributedLock(name = "skipped", onBusy = [OnBusy.SKIP])
        open suspend fun skippedText(): String? = "ran"

        @DistributedLock(name = "skipped", onBusy = [OnBusy.SKIP])
        open suspend fun skippedList(): List<String> = listOf("ran")

        @DistributedLock(name = "skipped", onBusy = [OnBusy.SKIP])
        open suspend fun skipped() {
            delay(1)
        }

        @DistributedLock(name = "fallback", key = "#key", waitTime = "0s", fallback = "busy")
        open suspend fun withFallback(key: String): String {
            delay(1)
            return "ran"
        }

        open suspend fun busy(key: String, reason: LockNotAcquiredException): String {
            delay(1)
            return "busy: ${reason.lockName()} for $key"
        }
    }

    open class SkippedNumber {
        @DistributedLock(name = "number", onBusy = [OnBusy.SKIP])
        open suspend fun run(): Int = 1
    }

    open class SkippedText {
        @DistributedLock(name = "text", onBusy = [OnBusy.SKIP])
        open suspend fun run(): String = "ran"
    }

    open class SuspendingPublisher {
        @DistributedLock(name = "publisher")
        open suspend fun run(): Mono<String> = Mono.just("ran")
    }

    companion object {
        private val locks = open()
        private val other = open()
        private val context = application(Jobs::class.java, locks)
        private val jobs = context.getBean(Jobs::class.java)

        @JvmStatic
        @AfterAll
        fun stop() {
            context.close()
            other.close()
        }
    }
}
