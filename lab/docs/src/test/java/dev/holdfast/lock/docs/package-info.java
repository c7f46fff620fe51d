/** Checks of the manual. */
@org.jspecify.annotations.NullMarked
package dev.holdfast.lock.docs;
