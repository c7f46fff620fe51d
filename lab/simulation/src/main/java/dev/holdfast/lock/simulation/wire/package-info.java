/** Connections of Lettuce without sockets. The simulation transports what Lettuce has encoded, and returns what Lettuce decodes. */
@NullMarked
package dev.holdfast.lock.simulation.wire;

import org.jspecify.annotations.NullMarked;
