package dev.holdfast.lock.spring.shape;

/** The place of the annotation. */
enum Placement {
    METHOD,
    META,
    REPEATED,
    /** The class that has the method. */
    CLASS,
    /** The bean's class, which inherits the method. */
    SUBCLASS,
    INTERFACE_METHOD,
    INTERFACE,
    /** The method that the bean's method overrides. */
    OVERRIDDEN_METHOD,
    SUPERCLASS;

    /** Whether the annotation is that of a type and covers its public methods. */
    boolean isOfType() {
        return this == CLASS || this == SUBCLASS || this == INTERFACE || this == SUPERCLASS;
    }

    boolean isInFace() {
        return this == INTERFACE_METHOD || this == INTERFACE;
    }

    boolean isInOverridden() {
        return this == OVERRIDDEN_METHOD || this == SUPERCLASS;
    }
}
