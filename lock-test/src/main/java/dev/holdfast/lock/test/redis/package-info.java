/** A real Redis for tests: a binary that runs beside the test, or a container. */
@NullMarked
package dev.holdfast.lock.test.redis;

import org.jspecify.annotations.NullMarked;
