/** What an application writes: the annotation, its policies, and the lease inside the body. */
@NullMarked
package dev.holdfast.lock.spring;

import org.jspecify.annotations.NullMarked;
