/** What an operator sees of locks, and the one thing that an operator can do: free one. */
@NullMarked
package dev.holdfast.lock.spring.endpoint;

import org.jspecify.annotations.NullMarked;
