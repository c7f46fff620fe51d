/** Runs a real Redis for tests: a binary beside the test, or a container. */
@NullMarked
package dev.holdfast.lock.test.redis;

import org.jspecify.annotations.NullMarked;
