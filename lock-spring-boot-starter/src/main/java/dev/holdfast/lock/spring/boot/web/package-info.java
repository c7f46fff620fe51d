/** Answers for web clients. */
@NullMarked
package dev.holdfast.lock.spring.boot.web;

import org.jspecify.annotations.NullMarked;
