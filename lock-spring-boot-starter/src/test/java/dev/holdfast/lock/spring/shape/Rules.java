package dev.holdfast.lock.spring.shape;

import java.util.EnumSet;
import java.util.Set;

/** The combinations that are no Java, that Spring does not support even without a lock, or in which the annotation does not cover the method. */
final class Rules {

    private static final Set<Call> STATIC = EnumSet.of(
            Call.BY_CLASS,
            Call.BY_INJECTION,
            Call.BY_PROVIDER,
            Call.THIS,
            Call.LAMBDA,
            Call.CONSTRUCTOR,
            Call.POST_CONSTRUCT_THIS,
            Call.BEAN_METHOD);
    private static final Set<Creation> OF_CONFIGURATION =
            EnumSet.of(Creation.COMPONENT, Creation.SCANNED, Creation.IMPORTED, Creation.CONFIGURATION);
    private static final Set<Creation> SPECIAL = EnumSet.of(
            Creation.CIRCULAR,
            Creation.EARLY,
            Creation.FACTORY_BEAN,
            Creation.LAZY,
            Creation.BEAN_METHOD_OF_INTERFACE,
            Creation.REGISTERED_OBJECT);

    private final Call call;
    private final Type type;
    private final Creation creation;
    private final Placement placement;
    private final Visibility visibility;
    private final Signature signature;
    private final Result result;
    private final Around around;
    private final boolean isStatic;
    private final boolean isFinal;
    private final boolean isPlain;
    private final boolean byInterfaces;

    private Rules(Shape shape) {
        call = shape.call();
        type = shape.type();
        creation = shape.creation();
        placement = shape.placement();
        visibility = shape.visibility();
        signature = shape.signature();
        result = shape.result();
        around = shape.around();
        isStatic = shape.modifier() == Modifier.STATIC;
        isFinal = shape.modifier() == Modifier.FINAL;
        isPlain = shape.modifier() == Modifier.NONE;
        byInterfaces = shape.proxies() == Proxies.OF_INTERFACES;
    }

    static boolean forbid(Shape shape) {
        Rules rules = new Rules(shape);
        return rules.isNoJava()
                || rules.isNotCovered()
                || rules.isNotCalled()
                || rules.isNotMade()
                || rules.isNotProxied()
                || rules.isNotAround();
    }

    /** Returns whether this value is often a reason to refuse a shape or to warn of it, whatever its other values are. */
    static boolean isReasonToRefuse(Enum<?> value) {
        return value == Modifier.FINAL
                || value == Modifier.STATIC
                || value == Visibility.PRIVATE
                || value == Creation.REGISTERED_OBJECT
                || (value instanceof Type type && hasNoSubclass(type))
                || (value instanceof Call call && (call.isAtEnd() || call.isPostProcessor()));
    }

    /** Spring's proxies cannot be subclasses of these types. */
    private static boolean hasNoSubclass(Type type) {
        return type.isClosed() || type == Type.PRIVATE_CONSTRUCTOR;
    }

    private boolean isOfInterface() {
        return type.isInInterface() || type == Type.OF_SEALED_INTERFACE;
    }

    /** What does not compile, or makes no sense in Java. */
    private boolean isNoJava() {
        Recipe recipe = call.recipe();
        boolean isReference = call == Call.THIS_REFERENCE || call == Call.BY_REFERENCE;
        return !recipe.visibilities().contains(visibility)
                || !recipe.results().contains(result)
                || (recipe.parameters() != null) != (signature == Signature.GIVEN)
                || (isReference && signature != Signature.NONE && signature != Signature.THROWING)
                || (signature == Signature.THROWING && call.isAtCreation())
                || (isStatic && !STATIC.contains(call))
                || (!recipe.superclass().isEmpty() && (type.hasBase() || type == Type.RECORD || type.isInInterface()))
                || (call == Call.SUPER && !type.inherits())
                || (call == Call.TEMPLATE && !type.overrides())
                || ((call == Call.HASH_CODE || call == Call.TO_STRING) && type.isInInterface())
                || (call == Call.TO_STRING && type == Type.IMPLEMENTING_COVARIANT)
                || (call == Call.SUPER && type == Type.FOREIGN_SUPERCLASS && visibility == Visibility.PACKAGE)
                || (type.overrides() && visibility == Visibility.PRIVATE)
                || (type == Type.IMPLEMENTING_FOREIGN && visibility == Visibility.PACKAGE)
                || (isStatic && (type.overrides() || type == Type.GENERIC_SUPERCLASS))
                || (type.isInInterface() && !isPlain)
                || (type.isGeneric() && signature != Signature.ONE && signature != Signature.KEYED)
                || (type == Type.IMPLEMENTING_COVARIANT && result != Result.STRING)
                || (signature == Signature.THROWING && result != Result.VOID && result != Result.STRING)
                || (isStatic && (creation.needsFace() || type == Type.OF_SEALED_INTERFACE))
                // An interface has public methods.
                || (visibility != Visibility.PUBLIC
                        && (call == Call.BY_INTERFACE
                                || placement == Placement.INTERFACE_METHOD
                                || creation.needsFace()
                                || isOfInterface()));
    }

    /** Where an annotation cannot be, or does not cover the method. */
    private boolean isNotCovered() {
        return (placement == Placement.OVERRIDDEN_METHOD && !type.overrides())
                || (placement == Placement.INTERFACE_METHOD && (type.isInInterface() || isStatic));
    }

    /** What Spring does not call. */
    private boolean isNotCalled() {
        return (call == Call.SINGLETONS_CREATED && !creation.isInitialized())
                // Spring injects nothing into a record after its creation.
                || (call.isInjection() && type == Type.RECORD)
                || (call.isAtEnd() && !creation.isDestroyed())
                || (call.isAtCreation() && call != Call.CONSTRUCTOR && !creation.isInitialized())
                || (call.needsSingleton() && (!creation.isSingleton() || creation == Creation.LAZY))
                || ((call == Call.INFERRED_CLOSE || call == Call.INFERRED_SHUTDOWN) && !creation.isBeanMethod())
                || ((call == Call.INIT_METHOD || call == Call.DESTROY_METHOD)
                        && !creation.isBeanMethod()
                        && !creation.isDefinition())
                || (call == Call.SCHEDULED && creation == Creation.REGISTERED_OBJECT)
                // The processors of the annotations are created later.
                || (creation == Creation.EARLY && (call.isByLifeAnnotation() || call == Call.SCHEDULED))
                || (call.isLifecycle() && creation == Creation.FACTORY_BEAN)
                // Spring looks for no listeners in a class of its own, unless it is a component.
                || (call.isAnnotatedForProxy()
                        && type == Type.IN_SPRINGS_PACKAGE
                        && creation != Creation.SCANNED
                        && creation != Creation.IMPORTED);
    }

    /** What Spring does not make a bean of. */
    private boolean isNotMade() {
        return (call == Call.BEAN_METHOD && !OF_CONFIGURATION.contains(creation))
                || ((call.isPostProcessor() || call == Call.GET_OBJECT)
                        && (SPECIAL.contains(creation) || !creation.isSingleton()))
                || (call.isPostProcessor() && creation == Creation.CONSTRUCTOR_INJECTION)
                || (call == Call.BEAN_METHOD && creation == Creation.CONFIGURATION && isFinal)
                || (type == Type.RECORD && creation == Creation.CIRCULAR)
                // Spring makes a subclass itself.
                || (hasNoSubclass(type)
                        && (creation == Creation.LOOKUP
                                || creation == Creation.CONFIGURATION
                                || creation == Creation.SCOPED));
    }

    /** What a proxy does not offer. */
    private boolean isNotProxied() {
        // Only the class of the bean's definition is known.
        return (call.isByClass() && creation.needsFace())
                || ((call == Call.HASH_CODE || call == Call.FILTER) && creation.isScoped())
                // A proxy of another class has no fields.
                || (!call.isEntered() && creation.isScoped() && isFinal)
                || (type == Type.FOREIGN_SUPERCLASS && creation.isScoped() && visibility == Visibility.PACKAGE)
                // Of a product that a bean needs, Spring's creator of proxies says itself that it cannot subclass it.
                || (call == Call.BY_INJECTION && creation == Creation.FACTORY_BEAN && hasNoSubclass(type))
                // A proxy of interfaces leaves out a sealed one.
                || (type == Type.OF_SEALED_INTERFACE && creation == Creation.SCOPED_BY_INTERFACE)
                || (byInterfaces && isNotProxiedByInterfaces());
    }

    private boolean isNotProxiedByInterfaces() {
        return (type == Type.OF_SEALED_INTERFACE && (call.isAnnotatedForProxy() || call == Call.BY_INTERFACE))
                // Spring knows the class of the object, and not yet that its proxy is of another.
                || (call.isAnnotatedForProxy() && (creation == Creation.LAZY || creation == Creation.FACTORY_BEAN))
                || ((call == Call.BEAN_METHOD || call.isByClass())
                        && (placement == Placement.INTERFACE_METHOD || isOfInterface()));
    }

    /** What does not go with a transaction or with another thread. */
    private boolean isNotAround() {
        boolean isAsync = around == Around.ASYNC;
        return around != Around.NOTHING
                && (hasNoSubclass(type)
                        || (type == Type.OF_SEALED_INTERFACE && byInterfaces)
                        || call.isPostProcessor()
                        || call == Call.TRANSACTIONAL_EVENT_LISTENER
                        || call == Call.GET_OBJECT
                        || call == Call.BEAN_METHOD
                        || call == Call.HASH_CODE
                        || call == Call.FILTER
                        || (isFinal && !call.isEntered() && !call.isCallback())
                        || (type == Type.FOREIGN_SUPERCLASS && visibility == Visibility.PACKAGE)
                        || (around == Around.TRANSACTION && result.isReactive())
                        || (isAsync && result != Result.VOID && result != Result.FUTURE)
                        || (isAsync && (signature == Signature.THROWING || isStatic))
                        || (isAsync && !call.isOutside() && call != Call.EVENT_LISTENER)
                        || (isAsync && (creation == Creation.CIRCULAR || creation == Creation.EARLY)));
    }
}
