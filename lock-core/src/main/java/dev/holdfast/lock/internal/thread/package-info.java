/**
 * Holds of threads: counts re-entrant holds, and waits for acquisitions with or without interruption. Depends only on the API and the background
 * package.
 */
@NullMarked
package dev.holdfast.lock.internal.thread;

import org.jspecify.annotations.NullMarked;
