/**
 * A faulty network, and what it shares with the servers of tests: threads, ports, and processes that end with this one. The released jar of {@code
 * holdfast-check} contains all of it.
 */
@NullMarked
package dev.holdfast.lock.proxy;

import org.jspecify.annotations.NullMarked;
