package dev.holdfast.lock.kotlin

import dev.holdfast.lock.AcquireOptions
import dev.holdfast.lock.LockClient
import dev.holdfast.lock.spring.DistributedLock
import dev.holdfast.lock.spring.LockContext
import dev.holdfast.lock.spring.OncePerTick
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import org.springframework.scheduling.annotation.Scheduled
import org.springframework.stereotype.Component
import java.time.Duration

interface Store {
    suspend fun stock(article: String): Long

    suspend fun write(article: String, token: Long)
}

// The examples of docs/kotlin.md. DocumentationTest compares.

@Component
open class Imports(private val store: Store) {

    @Scheduled(cron = "0 0 3 * * *")
    @OncePerTick("import")
    open suspend fun run() {
        store.write("nightly", LockContext.current().fencingToken())
    }

    @DistributedLock(name = "stock", key = "#article")
    open fun changes(article: String): Flow<Long> = flow {
        emit(store.stock(article))
    }
}

suspend fun restock(locks: LockClient, store: Store, article: String): Long =
    locks.getLock("stock:$article").withLease { lease ->
        val stock = store.stock(article) + 100
        store.write(article, lease.fencingToken())
        stock
    }

suspend fun cleanUp(locks: LockClient, store: Store): Boolean {
    val options = AcquireOptions.defaults().minHold(Duration.ofSeconds(10))
    return locks.getLock("clean-up").withLeaseOrNull(options, cancelOnLoss = true) { lease ->
        store.write("clean-up", lease.fencingToken())
        true
    } ?: false
}
