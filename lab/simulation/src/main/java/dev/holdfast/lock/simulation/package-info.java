/** Simulates a fleet of lock clients with its network and Redis servers, in one thread. A single number, the seed, decides everything. */
@NullMarked
package dev.holdfast.lock.simulation;

import org.jspecify.annotations.NullMarked;
