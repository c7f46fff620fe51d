/**
 * Locks that belong to the method and not to its proxy: the class of a bean with annotated methods is replaced by a subclass whose methods take their
 * locks for every caller.
 */
@org.jspecify.annotations.NullMarked
package dev.holdfast.lock.spring.method;
