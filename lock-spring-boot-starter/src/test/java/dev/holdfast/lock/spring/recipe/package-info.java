@NullMarked
package dev.holdfast.lock.spring.recipe;

import org.jspecify.annotations.NullMarked;
