@NullMarked
package dev.holdfast.rewrite;

import org.jspecify.annotations.NullMarked;
