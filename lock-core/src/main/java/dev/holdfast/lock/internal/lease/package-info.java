/** What is held, and what keeps it: grants, leases, the watchdog. Knows nothing of Redis. */
@NullMarked
package dev.holdfast.lock.internal.lease;

import org.jspecify.annotations.NullMarked;
