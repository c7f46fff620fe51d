package dev.holdfast.lock.spring.shape;

/** The place of the annotation. */
enum Placement {
    METHOD,
    META,
    REPEATED,
    INTERFACE_METHOD,
    /** The method that the bean's method overrides. */
    OVERRIDDEN_METHOD
}
