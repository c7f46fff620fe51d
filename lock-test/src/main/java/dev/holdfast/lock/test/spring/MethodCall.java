package dev.holdfast.lock.test.spring;

import java.io.Serializable;

/**
 * A reference to a method of a bean, such as {@code payments::pay}. It is never called. It is serializable, because the serialized form reveals the
 * bean and the method.
 */
public sealed interface MethodCall extends Serializable {

    /** A method without parameters. */
    @FunctionalInterface
    non-sealed interface Of0 extends MethodCall {
        void call() throws Throwable;
    }

    /** A method with one parameter. */
    @FunctionalInterface
    non-sealed interface Of1<A> extends MethodCall {
        void call(A a) throws Throwable;
    }

    /** A method with two parameters. */
    @FunctionalInterface
    non-sealed interface Of2<A, B> extends MethodCall {
        void call(A a, B b) throws Throwable;
    }

    /** A method with three parameters. */
    @FunctionalInterface
    non-sealed interface Of3<A, B, C> extends MethodCall {
        void call(A a, B b, C c) throws Throwable;
    }

    /** A method with four parameters. */
    @FunctionalInterface
    non-sealed interface Of4<A, B, C, D> extends MethodCall {
        void call(A a, B b, C c, D d) throws Throwable;
    }
}
