/**
 * Workers that use locks, faults that break what they stand on, and a checker that judges what happened. This is a program and no API: what is public
 * here is for the laboratory, which adds servers that it may break.
 */
@NullMarked
package dev.holdfast.check;

import org.jspecify.annotations.NullMarked;
