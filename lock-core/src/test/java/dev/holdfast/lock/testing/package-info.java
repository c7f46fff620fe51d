/**
 * Redis servers, groups of servers and a faulty network for tests. The module lock-core-tests packs them, so that the other modules' tests
 * and the sample can use them; nothing here is part of the library.
 */
@NullMarked
package dev.holdfast.lock.testing;

import org.jspecify.annotations.NullMarked;
