/** A whole fleet of lock clients, its network and its Redis in one thread, decided by one number. */
@NullMarked
package dev.holdfast.lock.simulation;

import org.jspecify.annotations.NullMarked;
