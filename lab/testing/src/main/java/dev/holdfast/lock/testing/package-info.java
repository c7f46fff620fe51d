/**
 * Redis servers, groups of servers and processes for tests; the faulty network is in {@code lab/proxy}. Nothing here uses lock-core, whose tests use it.
 */
@NullMarked
package dev.holdfast.lock.testing;

import org.jspecify.annotations.NullMarked;
