package dev.holdfast.lock.spring.shape;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiPredicate;

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

    private final List<Rule> rules = new ArrayList<>();

    /** A rule about some of the choices, given by their indexes. */
    private record Rule(int[] choices, Forbidden forbidden) {
        boolean isChosen(Enum<?>[] values) {
            for (int choice : choices) {
                if (values[choice] == null) {
                    return false;
                }
            }
            return true;
        }
    }

    private interface Forbidden {
        boolean test(Enum<?>[] values);
    }

    private interface Three<A, B, C> {
        boolean test(A first, B second, C third);
    }

    Rules() {
        java();
        annotation();
        spring();
        aroundMethods();
    }

    /** Returns whether a rule forbids the values so far. Values that are not chosen yet are null. */
    boolean forbid(Enum<?>[] values) {
        for (Rule rule : rules) {
            if (rule.isChosen(values) && rule.forbidden.test(values)) {
                return true;
            }
        }
        return false;
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

    /** What does not compile, or makes no sense in Java. */
    private void java() {
        forbid(
                Call.class,
                Visibility.class,
                (call, visibility) -> !call.recipe().visibilities().contains(visibility));
        forbid(
                Call.class,
                Result.class,
                (call, result) -> !call.recipe().results().contains(result));
        forbid(
                Call.class,
                Signature.class,
                (call, signature) -> (call.recipe().parameters() != null) != (signature == Signature.GIVEN));
        forbid(
                Call.class,
                Signature.class,
                (call, signature) -> (call == Call.THIS_REFERENCE || call == Call.BY_REFERENCE)
                        && signature != Signature.NONE
                        && signature != Signature.THROWING);
        forbid(
                Call.class,
                Signature.class,
                (call, signature) -> signature == Signature.THROWING && call.isAtCreation());
        forbid(Call.class, Modifier.class, (call, modifier) -> modifier == Modifier.STATIC && !STATIC.contains(call));
        forbid(
                Call.class,
                Type.class,
                (call, type) -> !call.recipe().superclass().isEmpty()
                        && (type.hasBase() || type == Type.RECORD || type.isInInterface()));
        forbid(Call.class, Type.class, (call, type) -> call == Call.SUPER && !type.inherits());
        forbid(Call.class, Type.class, (call, type) -> call == Call.TEMPLATE && !type.overrides());
        forbid(
                Call.class,
                Type.class,
                (call, type) -> (call == Call.HASH_CODE || call == Call.TO_STRING) && type.isInInterface());
        forbid(Call.class, Type.class, (call, type) -> call == Call.TO_STRING && type == Type.IMPLEMENTING_COVARIANT);
        forbid(
                Call.class,
                Type.class,
                Visibility.class,
                (call, type, visibility) ->
                        call == Call.SUPER && type == Type.FOREIGN_SUPERCLASS && visibility == Visibility.PACKAGE);
        forbid(
                Type.class,
                Visibility.class,
                (type, visibility) -> type.overrides() && visibility == Visibility.PRIVATE);
        forbid(
                Type.class,
                Visibility.class,
                (type, visibility) -> type == Type.IMPLEMENTING_FOREIGN && visibility == Visibility.PACKAGE);
        forbid(
                Type.class,
                Modifier.class,
                (type, modifier) ->
                        modifier == Modifier.STATIC && (type.overrides() || type == Type.GENERIC_SUPERCLASS));
        forbid(Type.class, Modifier.class, (type, modifier) -> type.isInInterface() && modifier != Modifier.NONE);
        forbid(
                Type.class,
                Signature.class,
                (type, signature) -> type.isGeneric() && signature != Signature.ONE && signature != Signature.KEYED);
        forbid(
                Type.class,
                Result.class,
                (type, result) -> type == Type.IMPLEMENTING_COVARIANT && result != Result.STRING);
        forbid(
                Signature.class,
                Result.class,
                (signature, result) ->
                        signature == Signature.THROWING && result != Result.VOID && result != Result.STRING);
        // An interface has public methods.
        forbid(
                Call.class,
                Visibility.class,
                (call, visibility) -> call == Call.BY_INTERFACE && visibility != Visibility.PUBLIC);
        for (Visibility hidden : EnumSet.complementOf(EnumSet.of(Visibility.PUBLIC))) {
            forbid(
                    Placement.class,
                    Visibility.class,
                    (placement, visibility) -> placement == Placement.INTERFACE_METHOD && visibility == hidden);
            forbid(
                    Creation.class,
                    Visibility.class,
                    (creation, visibility) -> creation.needsFace() && visibility == hidden);
            forbid(
                    Type.class,
                    Visibility.class,
                    (type, visibility) ->
                            (type.isInInterface() || type == Type.OF_SEALED_INTERFACE) && visibility == hidden);
        }
        forbid(
                Creation.class,
                Modifier.class,
                (creation, modifier) -> creation.needsFace() && modifier == Modifier.STATIC);
        forbid(
                Type.class,
                Modifier.class,
                (type, modifier) -> type == Type.OF_SEALED_INTERFACE && modifier == Modifier.STATIC);
    }

    /** Where an annotation cannot be, or does not cover the method. */
    private void annotation() {
        forbid(
                Placement.class,
                Type.class,
                (placement, type) -> placement == Placement.OVERRIDDEN_METHOD && !type.overrides());
        forbid(
                Placement.class,
                Type.class,
                (placement, type) -> type.isInInterface() && placement == Placement.INTERFACE_METHOD);
        forbid(
                Placement.class,
                Modifier.class,
                (placement, modifier) -> modifier == Modifier.STATIC && placement == Placement.INTERFACE_METHOD);
    }

    /** What Spring does not do. */
    private void spring() {
        forbid(
                Call.class,
                Creation.class,
                (call, creation) -> call == Call.SINGLETONS_CREATED && !creation.isInitialized());
        // Spring injects nothing into a record after its creation.
        forbid(Call.class, Type.class, (call, type) -> call.isInjection() && type == Type.RECORD);
        forbid(Call.class, Creation.class, (call, creation) -> call.isAtEnd() && !creation.isDestroyed());
        forbid(
                Call.class,
                Creation.class,
                (call, creation) -> call.isAtCreation() && call != Call.CONSTRUCTOR && !creation.isInitialized());
        forbid(
                Call.class,
                Creation.class,
                (call, creation) -> call.needsSingleton() && (!creation.isSingleton() || creation == Creation.LAZY));
        forbid(
                Call.class,
                Creation.class,
                (call, creation) ->
                        (call == Call.INFERRED_CLOSE || call == Call.INFERRED_SHUTDOWN) && !creation.isBeanMethod());
        forbid(
                Call.class,
                Creation.class,
                (call, creation) -> (call == Call.INIT_METHOD || call == Call.DESTROY_METHOD)
                        && !creation.isBeanMethod()
                        && !creation.isDefinition());
        forbid(
                Call.class,
                Creation.class,
                (call, creation) -> call == Call.BEAN_METHOD && !OF_CONFIGURATION.contains(creation));
        forbid(
                Call.class,
                Creation.class,
                (call, creation) -> (call.isPostProcessor() || call == Call.GET_OBJECT)
                        && (SPECIAL.contains(creation) || !creation.isSingleton()));
        forbid(
                Call.class,
                Creation.class,
                (call, creation) -> call == Call.SCHEDULED && creation == Creation.REGISTERED_OBJECT);
        // Only the class of the bean's definition is known.
        forbid(Call.class, Creation.class, (call, creation) -> call.isByClass() && creation.needsFace());
        forbid(
                Call.class,
                Creation.class,
                (call, creation) -> (call == Call.HASH_CODE || call == Call.FILTER) && creation.isScoped());
        forbid(
                Call.class,
                Creation.class,
                Modifier.class,
                (call, creation, modifier) ->
                        call == Call.BEAN_METHOD && creation == Creation.CONFIGURATION && modifier == Modifier.FINAL);
        // A proxy of another class has no fields.
        forbid(
                Call.class,
                Creation.class,
                Modifier.class,
                (call, creation, modifier) -> !call.isEntered() && creation.isScoped() && modifier == Modifier.FINAL);
        forbid(
                Type.class,
                Creation.class,
                Visibility.class,
                (type, creation, visibility) ->
                        type == Type.FOREIGN_SUPERCLASS && creation.isScoped() && visibility == Visibility.PACKAGE);
        // Spring makes a subclass itself.
        forbid(
                Type.class,
                Creation.class,
                (type, creation) -> hasNoSubclass(type)
                        && (creation == Creation.LOOKUP
                                || creation == Creation.CONFIGURATION
                                || creation == Creation.SCOPED));
        forbid(Type.class, Creation.class, (type, creation) -> type == Type.RECORD && creation == Creation.CIRCULAR);
        // A proxy of interfaces leaves out a sealed one, and Spring finds no listener in it.
        forbid(
                Call.class,
                Type.class,
                Proxies.class,
                (call, type, proxies) -> call.isAnnotatedForProxy()
                        && type == Type.OF_SEALED_INTERFACE
                        && proxies == Proxies.OF_INTERFACES);
        // The processors of the annotations are created later.
        forbid(
                Call.class,
                Creation.class,
                (call, creation) ->
                        creation == Creation.EARLY && (call.isByLifeAnnotation() || call == Call.SCHEDULED));
        forbid(
                Call.class,
                Creation.class,
                (call, creation) -> call.isPostProcessor() && creation == Creation.CONSTRUCTOR_INJECTION);
        forbid(Call.class, Creation.class, (call, creation) -> call.isLifecycle() && creation == Creation.FACTORY_BEAN);
        // Spring looks for no listeners in a class of its own, unless it is a component.
        forbid(
                Call.class,
                Type.class,
                Creation.class,
                (call, type, creation) -> call.isAnnotatedForProxy()
                        && type == Type.IN_SPRINGS_PACKAGE
                        && creation != Creation.SCANNED
                        && creation != Creation.IMPORTED);
        // Spring knows the class of the object, and not yet that its proxy is of another.
        forbid(
                Call.class,
                Creation.class,
                Proxies.class,
                (call, creation, proxies) -> call.isAnnotatedForProxy()
                        && (creation == Creation.LAZY || creation == Creation.FACTORY_BEAN)
                        && proxies == Proxies.OF_INTERFACES);
        // Nor can a proxy of interfaces have @Bean methods.
        forbid(
                Call.class,
                Placement.class,
                Proxies.class,
                (call, placement, proxies) -> call == Call.BEAN_METHOD
                        && placement == Placement.INTERFACE_METHOD
                        && proxies == Proxies.OF_INTERFACES);
        forbid(
                Call.class,
                Type.class,
                Proxies.class,
                (call, type, proxies) -> call == Call.BEAN_METHOD
                        && (type.isInInterface() || type == Type.OF_SEALED_INTERFACE)
                        && proxies == Proxies.OF_INTERFACES);
        // A proxy of interfaces leaves out a sealed one.
        forbid(
                Type.class,
                Creation.class,
                (type, creation) -> type == Type.OF_SEALED_INTERFACE && creation == Creation.SCOPED_BY_INTERFACE);
        forbid(
                Call.class,
                Type.class,
                Proxies.class,
                (call, type, proxies) -> call == Call.BY_INTERFACE
                        && type == Type.OF_SEALED_INTERFACE
                        && proxies == Proxies.OF_INTERFACES);
        // The proxy offers interfaces only.
        forbid(
                Call.class,
                Placement.class,
                Proxies.class,
                (call, placement, proxies) -> call.isByClass()
                        && placement == Placement.INTERFACE_METHOD
                        && proxies == Proxies.OF_INTERFACES);
        forbid(
                Call.class,
                Type.class,
                Proxies.class,
                (call, type, proxies) -> call.isByClass()
                        && (type.isInInterface() || type == Type.OF_SEALED_INTERFACE)
                        && proxies == Proxies.OF_INTERFACES);
    }

    /** What does not go with a transaction or with another thread. */
    private void aroundMethods() {
        forbid(Around.class, Type.class, (around, type) -> around != Around.NOTHING && hasNoSubclass(type));
        forbid(
                Around.class,
                Type.class,
                Proxies.class,
                (around, type, proxies) -> around != Around.NOTHING
                        && type == Type.OF_SEALED_INTERFACE
                        && proxies == Proxies.OF_INTERFACES);
        forbid(
                Around.class,
                Call.class,
                (around, call) -> around != Around.NOTHING
                        && (call.isPostProcessor()
                                || call == Call.TRANSACTIONAL_EVENT_LISTENER
                                || call == Call.GET_OBJECT
                                || call == Call.BEAN_METHOD
                                || call == Call.HASH_CODE
                                || call == Call.FILTER));
        forbid(
                Around.class,
                Modifier.class,
                Call.class,
                (around, modifier, call) -> around != Around.NOTHING
                        && modifier == Modifier.FINAL
                        && !call.isEntered()
                        && !call.isCallback());
        forbid(
                Around.class,
                Type.class,
                Visibility.class,
                (around, type, visibility) -> around != Around.NOTHING
                        && type == Type.FOREIGN_SUPERCLASS
                        && visibility == Visibility.PACKAGE);
        forbid(Around.class, Result.class, (around, result) -> around == Around.TRANSACTION && result.isReactive());
        forbid(
                Around.class,
                Result.class,
                (around, result) -> around == Around.ASYNC && result != Result.VOID && result != Result.FUTURE);
        forbid(
                Around.class,
                Signature.class,
                (around, signature) -> around == Around.ASYNC && signature == Signature.THROWING);
        forbid(
                Around.class,
                Call.class,
                (around, call) -> around == Around.ASYNC && !call.isOutside() && call != Call.EVENT_LISTENER);
        forbid(
                Around.class,
                Modifier.class,
                (around, modifier) -> around == Around.ASYNC && modifier == Modifier.STATIC);
        forbid(
                Around.class,
                Creation.class,
                (around, creation) ->
                        around == Around.ASYNC && (creation == Creation.CIRCULAR || creation == Creation.EARLY));
    }

    /** Spring's proxies cannot be subclasses of these types. */
    private static boolean hasNoSubclass(Type type) {
        return type.isClosed() || type == Type.PRIVATE_CONSTRUCTOR;
    }

    private <A extends Enum<A>, B extends Enum<B>> void forbid(
            Class<A> first, Class<B> second, BiPredicate<A, B> forbidden) {
        int a = Shape.CHOICES.indexOf(first);
        int b = Shape.CHOICES.indexOf(second);
        rules.add(new Rule(new int[] {a, b}, values -> forbidden.test(first.cast(values[a]), second.cast(values[b]))));
    }

    private <A extends Enum<A>, B extends Enum<B>, C extends Enum<C>> void forbid(
            Class<A> first, Class<B> second, Class<C> third, Three<A, B, C> forbidden) {
        int a = Shape.CHOICES.indexOf(first);
        int b = Shape.CHOICES.indexOf(second);
        int c = Shape.CHOICES.indexOf(third);
        rules.add(new Rule(
                new int[] {a, b, c},
                values -> forbidden.test(first.cast(values[a]), second.cast(values[b]), third.cast(values[c]))));
    }
}
