/** What a simulated process is made of, in the simulation and in the exploration alike. */
@NullMarked
package dev.holdfast.lock.simulation.process;

import org.jspecify.annotations.NullMarked;
