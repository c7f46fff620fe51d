/**
 * Redis servers, groups of servers and a faulty network for tests. Packed as a test-jar, so that the other modules' tests
 * and the sample can use them; nothing here is part of the library.
 */
@NullMarked
package dev.holdfast.lock.testing;

import org.jspecify.annotations.NullMarked;
