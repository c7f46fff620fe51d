/** Held locks and their upkeep: answers to requests, grants, leases, and the watchdog. Knows nothing about Redis. */
@NullMarked
package dev.holdfast.lock.internal.lease;

import org.jspecify.annotations.NullMarked;
