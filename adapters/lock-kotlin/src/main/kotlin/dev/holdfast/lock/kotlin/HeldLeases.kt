package dev.holdfast.lock.kotlin

import dev.holdfast.lock.Lease
import dev.holdfast.lock.LeaseSource
import kotlin.coroutines.AbstractCoroutineContextElement
import kotlin.coroutines.CoroutineContext

/** The locks that a coroutine and its children hold, the innermost last. */
internal class HeldLeases(val leases: List<Pair<LeaseSource, Lease>>) : AbstractCoroutineContextElement(Key) {
    companion object Key : CoroutineContext.Key<HeldLeases>
}
