package dev.holdfast.lock.spring.interceptor;

/** The outcome of acquiring the locks of a call. */
sealed interface Acquisition permits AcquiredLocks, Refusal {}
