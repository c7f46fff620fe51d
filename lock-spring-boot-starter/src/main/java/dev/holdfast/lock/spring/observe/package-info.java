/** What can be seen of calls: observations. Internal. */
@org.jspecify.annotations.NullMarked
package dev.holdfast.lock.spring.observe;
