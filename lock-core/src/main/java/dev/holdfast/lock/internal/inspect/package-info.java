/** Views of locks and servers from outside: the holders of a lock, the names of clients, and a server's description of itself. */
@NullMarked
package dev.holdfast.lock.internal.inspect;

import org.jspecify.annotations.NullMarked;
