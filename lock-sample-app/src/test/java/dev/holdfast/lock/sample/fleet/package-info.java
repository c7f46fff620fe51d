/** Three instances of the shop on one machine, with everything they need: what the README's first command starts. */
@NullMarked
package dev.holdfast.lock.sample.fleet;

import org.jspecify.annotations.NullMarked;
