@NullMarked
package dev.holdfast.lock.spring.cost;

import org.jspecify.annotations.NullMarked;
