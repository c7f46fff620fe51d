package dev.holdfast.lock;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method, or all methods of a type, whose result the caller must use. A caller that drops it holds no lock although the code reads as
 * if it did. Error Prone, SpotBugs and IDEs recognize the annotation by its simple name, so it needs no dependency.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface CheckReturnValue {}
