/** What can be seen of calls: observations, and a log line for each that is skipped. Internal. This package is a room. */
@org.jspecify.annotations.NullMarked
package dev.holdfast.lock.spring.observe;
