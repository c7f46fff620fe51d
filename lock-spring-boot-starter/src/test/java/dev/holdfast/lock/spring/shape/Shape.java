package dev.holdfast.lock.spring.shape;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A method with a lock: what it looks like, where it is declared, how its bean comes about, and how it is called. */
record Shape(
        Call call,
        Type type,
        Creation creation,
        Placement placement,
        Visibility visibility,
        Modifier modifier,
        Signature signature,
        Result result,
        Around around,
        Proxies proxies) {

    /** The components and their values, in the order of the components. */
    static final List<Class<? extends Enum<?>>> CHOICES = List.of(
            Call.class,
            Type.class,
            Creation.class,
            Placement.class,
            Visibility.class,
            Modifier.class,
            Signature.class,
            Result.class,
            Around.class,
            Proxies.class);

    static Shape of(Enum<?>[] values) {
        return new Shape(
                (Call) values[0],
                (Type) values[1],
                (Creation) values[2],
                (Placement) values[3],
                (Visibility) values[4],
                (Modifier) values[5],
                (Signature) values[6],
                (Result) values[7],
                (Around) values[8],
                (Proxies) values[9]);
    }

    /** Returns the shape with this name. */
    static Shape named(String name) {
        String[] names = name.split("\\+");
        Enum<?>[] values = new Enum<?>[CHOICES.size()];
        for (int i = 0; i < values.length; i++) {
            String wanted = names[i];
            values[i] = Arrays.stream(CHOICES.get(i).getEnumConstants())
                    .filter(value -> value.name().equals(wanted))
                    .findFirst()
                    .orElseThrow();
        }
        return of(values);
    }

    String name() {
        return Stream.of(values()).map(Enum::name).collect(Collectors.joining("+"));
    }

    Enum<?>[] values() {
        return new Enum<?>[] {call, type, creation, placement, visibility, modifier, signature, result, around, proxies
        };
    }

    /** A short name, for the package and for the lock. */
    String id() {
        return "s" + Integer.toHexString(name().hashCode());
    }

    /** The locks that the body needs. */
    Set<String> locks() {
        String key = signature == Signature.KEYED ? ":x" : "";
        return placement == Placement.REPEATED ? Set.of(id() + key, id() + "b" + key) : Set.of(id() + key);
    }

    /**
     * Returns whether a warning at start-up is enough: Spring did not make the object, or made it of a class that has no subclass of ours, and the
     * call comes from inside of it.
     */
    boolean mayBeWarnedOf() {
        boolean lockedByProxy = creation.isByUser()
                || creation == Creation.LOOKUP
                || creation == Creation.CONFIGURATION
                || type.isClosed()
                || type == Type.PRIVATE_CONSTRUCTOR
                || modifier == Modifier.FINAL;
        return creation == Creation.REGISTERED_OBJECT || (lockedByProxy && call.isPastProxy());
    }

    boolean hasFace() {
        return call == Call.BY_INTERFACE
                || placement == Placement.INTERFACE_METHOD
                || creation.needsFace()
                || type.isInInterface()
                || type == Type.OF_SEALED_INTERFACE;
    }

    String packageName() {
        return (type == Type.IN_SPRINGS_PACKAGE ? "org.springframework.samples." : "shapes.") + id();
    }

    /** The package of the superclass. */
    String basePackage() {
        return packageName() + (type.isForeign() ? ".base" : "");
    }

    /** Whether the body is in a superclass in another package, where only this package sees the method. */
    boolean isForeignAndHidden() {
        return type == Type.FOREIGN_SUPERCLASS && visibility == Visibility.PACKAGE;
    }

    @Override
    public String toString() {
        return name();
    }
}
