/** What happens in a client: counted, logged, and told to listeners. */
@NullMarked
package dev.holdfast.lock.internal.event;

import org.jspecify.annotations.NullMarked;
