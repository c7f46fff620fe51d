/** What happened to the ticks of jobs, and which are overdue. Internal. This package is a room. */
@org.jspecify.annotations.NullMarked
package dev.holdfast.lock.spring.board;
