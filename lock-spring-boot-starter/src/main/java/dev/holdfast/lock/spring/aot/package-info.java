/** What a native image must be told, since it cannot see it in the code. */
@NullMarked
package dev.holdfast.lock.spring.aot;

import org.jspecify.annotations.NullMarked;
