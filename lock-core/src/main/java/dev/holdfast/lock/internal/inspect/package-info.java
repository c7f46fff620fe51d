/** Views from outside: the names of clients, and what a server says about itself. */
@NullMarked
package dev.holdfast.lock.internal.inspect;

import org.jspecify.annotations.NullMarked;
