/** What is refused at the start: a method that would run without its lock, and a declaration that does not go together. Internal. */
@org.jspecify.annotations.NullMarked
package dev.holdfast.lock.spring.check;
