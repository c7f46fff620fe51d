/** Responses to web clients whose lock is busy or unavailable. */
@org.jspecify.annotations.NullMarked
package dev.holdfast.lock.spring.boot.web;
