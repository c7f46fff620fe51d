package dev.holdfast.lock.spring.shape;

/** The way in which Spring gets the bean. */
enum Creation {
    COMPONENT(Maker.SPRING),
    SCANNED(Maker.SPRING),
    IMPORTED(Maker.SPRING),
    REGISTRAR(Maker.SPRING),
    DEFINITION(Maker.SPRING),
    CHILD_DEFINITION(Maker.SPRING),
    CONSTRUCTOR_INJECTION(Maker.SPRING),
    CIRCULAR(Maker.SPRING),
    LAZY(Maker.SPRING),
    LOOKUP(Maker.SPRING),
    CONFIGURATION(Maker.SPRING),
    PROTOTYPE(Maker.SPRING),
    SCOPED(Maker.SPRING),
    SCOPED_BY_INTERFACE(Maker.SPRING),
    /** A post-processor depends on it. */
    EARLY(Maker.SPRING),
    BEAN_METHOD(Maker.USER),
    STATIC_BEAN_METHOD(Maker.USER),
    BEAN_METHOD_OF_INTERFACE(Maker.USER),
    SUPPLIER(Maker.USER),
    FACTORY_METHOD(Maker.USER),
    FACTORY_BEAN(Maker.USER),
    REGISTERED_OBJECT(Maker.USER);

    private enum Maker {
        SPRING,
        USER
    }

    private final Maker maker;

    Creation(Maker maker) {
        this.maker = maker;
    }

    /** Whether the user's own code calls the constructor. */
    boolean isByUser() {
        return maker == Maker.USER;
    }

    boolean isBeanMethod() {
        return this == BEAN_METHOD || this == STATIC_BEAN_METHOD || this == BEAN_METHOD_OF_INTERFACE;
    }

    boolean isDefinition() {
        return this == DEFINITION || this == CHILD_DEFINITION;
    }

    boolean isScoped() {
        return this == SCOPED || this == SCOPED_BY_INTERFACE;
    }

    boolean isSingleton() {
        return this != PROTOTYPE && !isScoped();
    }

    boolean needsFace() {
        return this == BEAN_METHOD_OF_INTERFACE || this == SCOPED_BY_INTERFACE;
    }

    /** Whether Spring initializes the object. */
    boolean isInitialized() {
        return this != FACTORY_BEAN && this != REGISTERED_OBJECT;
    }

    boolean isDestroyed() {
        return isInitialized() && isSingleton();
    }
}
