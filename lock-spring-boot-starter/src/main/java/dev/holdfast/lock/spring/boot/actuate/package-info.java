/** Whether locks work: what a readiness probe and the engineer on call are told. */
@NullMarked
package dev.holdfast.lock.spring.boot.actuate;

import org.jspecify.annotations.NullMarked;
