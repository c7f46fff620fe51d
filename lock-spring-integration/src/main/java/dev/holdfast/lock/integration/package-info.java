/** Holdfast's locks for Spring Integration. */
@org.jspecify.annotations.NullMarked
package dev.holdfast.lock.integration;
