/** Views from outside: the holders of a lock, the names of clients, and what a server says about itself. */
@NullMarked
package dev.holdfast.lock.internal.inspect;

import org.jspecify.annotations.NullMarked;
