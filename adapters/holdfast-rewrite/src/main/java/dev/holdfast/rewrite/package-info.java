/** Recipes of OpenRewrite that move an application from another lock library to Holdfast. */
@NullMarked
package dev.holdfast.rewrite;

import org.jspecify.annotations.NullMarked;
