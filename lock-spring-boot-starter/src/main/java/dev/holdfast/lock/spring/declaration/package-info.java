/**
 * The annotation as the starter understands it: which locks a method has, with which names, keys and settings. Internal: public types are for the
 * other packages of the starter, and for the modules that belong to it.
 */
@org.jspecify.annotations.NullMarked
package dev.holdfast.lock.spring.declaration;
