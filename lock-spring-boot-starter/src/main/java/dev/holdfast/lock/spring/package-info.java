/** What an application writes: the annotation, its policies, and the lease inside the body. */
@org.jspecify.annotations.NullMarked
package dev.holdfast.lock.spring;
