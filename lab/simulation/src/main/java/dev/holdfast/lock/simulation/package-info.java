/**
 * Does the product keep its promises in schedules that nobody has thought of? A whole fleet runs in one thread, and one number, the seed, decides
 * everything.
 */
@NullMarked
package dev.holdfast.lock.simulation;

import org.jspecify.annotations.NullMarked;
