/**
 * Redis servers, groups of servers, processes and a faulty network for tests. Nothing here uses lock-core, whose tests use it.
 */
@NullMarked
package dev.holdfast.lock.testing;

import org.jspecify.annotations.NullMarked;
