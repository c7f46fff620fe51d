/** Tests with locks under JUnit Jupiter, without Spring. */
@NullMarked
package dev.holdfast.lock.test.junit;

import org.jspecify.annotations.NullMarked;
