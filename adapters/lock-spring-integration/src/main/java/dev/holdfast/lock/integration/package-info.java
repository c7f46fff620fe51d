/** Provides Holdfast's locks to Spring Integration. */
@org.jspecify.annotations.NullMarked
package dev.holdfast.lock.integration;
