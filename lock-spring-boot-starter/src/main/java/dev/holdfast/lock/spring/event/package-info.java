/** What happens to locks, as events of the application. */
@NullMarked
package dev.holdfast.lock.spring.event;

import org.jspecify.annotations.NullMarked;
