package dev.holdfast.lock.spring.shape;

/** The class of the bean, and the place of the body in its hierarchy. */
enum Type {
    OWN(Body.JOB),
    NESTED(Body.JOB),
    /** In a package like those of Spring's own samples. */
    IN_SPRINGS_PACKAGE(Body.JOB),
    PRIVATE_CONSTRUCTOR(Body.JOB),
    RECORD(Body.JOB),
    FINAL(Body.JOB),
    SEALED(Body.JOB),
    OF_SEALED_INTERFACE(Body.JOB),
    /** The body is inherited. */
    SUPERCLASS(Body.BASE),
    /** The body is inherited from another package. */
    FOREIGN_SUPERCLASS(Body.BASE),
    GENERIC_SUPERCLASS(Body.BASE),
    /** The method implements an abstract one. */
    IMPLEMENTING(Body.OVERRIDE),
    IMPLEMENTING_FOREIGN(Body.OVERRIDE),
    /** The same with a type parameter, so that the class has a bridge method. */
    IMPLEMENTING_GENERIC(Body.OVERRIDE),
    /** The same with another result, so that the class has a bridge method. */
    IMPLEMENTING_COVARIANT(Body.OVERRIDE),
    /** The method calls the one that it overrides. */
    OVERRIDING(Body.OVERRIDE),
    DEFAULT_METHOD(Body.FACE);

    private enum Body {
        JOB,
        BASE,
        OVERRIDE,
        FACE
    }

    private final Body body;

    Type(Body body) {
        this.body = body;
    }

    /** Whether the bean inherits the body from its superclass. */
    boolean inherits() {
        return body == Body.BASE;
    }

    /** Whether the bean overrides a method of its superclass. */
    boolean overrides() {
        return body == Body.OVERRIDE;
    }

    boolean hasBase() {
        return inherits() || overrides();
    }

    boolean isForeign() {
        return this == FOREIGN_SUPERCLASS || this == IMPLEMENTING_FOREIGN;
    }

    boolean isGeneric() {
        return this == GENERIC_SUPERCLASS || this == IMPLEMENTING_GENERIC;
    }

    boolean isInInterface() {
        return body == Body.FACE;
    }

    boolean isClosed() {
        return this == RECORD || this == FINAL || this == SEALED;
    }
}
