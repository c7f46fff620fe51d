/** What can be seen of calls: observations. Internal. This package is a room. */
@org.jspecify.annotations.NullMarked
package dev.holdfast.lock.spring.observe;
