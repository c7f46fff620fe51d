/**
 * Fault tests on servers that they may break, with the workers and the checker of {@code holdfast-check}. Locks are used only through the public API.
 */
@NullMarked
package dev.holdfast.lock.chaos;

import org.jspecify.annotations.NullMarked;
