/** Methods that run once for each tick or deployment, and the record of their runs. Internal. */
@org.jspecify.annotations.NullMarked
package dev.holdfast.lock.spring.job;
