/** Responses to web clients whose lock is busy or unavailable. This package is a room. */
@org.jspecify.annotations.NullMarked
package dev.holdfast.lock.spring.boot.web;
