/** Answers for web clients. */
@org.jspecify.annotations.NullMarked
package dev.holdfast.lock.spring.boot.web;
