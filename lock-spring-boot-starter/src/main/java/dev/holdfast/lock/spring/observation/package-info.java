/** Annotated calls as observations, for traces and timers, and as an entry of the logs' context. */
@NullMarked
package dev.holdfast.lock.spring.observation;

import org.jspecify.annotations.NullMarked;
