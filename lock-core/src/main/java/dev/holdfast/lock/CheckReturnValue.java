package dev.holdfast.lock;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method, or all methods of a type, whose result the caller must use. Code that ignores the result of an acquisition looks protected but
 * holds no lock. Error Prone, SpotBugs and IDEs recognize the annotation by its simple name, so the library needs no dependency on them.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface CheckReturnValue {}
