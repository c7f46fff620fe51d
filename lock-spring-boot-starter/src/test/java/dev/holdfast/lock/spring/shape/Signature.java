package dev.holdfast.lock.spring.shape;

/** The parameters of the method, and what it throws. */
enum Signature {
    NONE("", ""),
    ONE("String item", "\"x\""),
    /** The lock's key is the parameter. */
    KEYED("String item", "\"x\""),
    LEASE("dev.holdfast.lock.Lease lease", "null"),
    PRIMITIVES(
            "byte a, short b, int c, long d, float e, char f, boolean g, int[] h, double... i",
            "(byte) 1, (short) 2, 3, 4L, 5F, 'c', true, new int[] {7}, 3.0"),
    VARARGS("String... items", "\"x\", \"y\""),
    /** There are other methods of the same name. */
    OVERLOADED("String item", "\"x\""),
    GENERIC("T item", "\"x\""),
    THROWING("", ""),
    /** Spring or a framework decides. */
    GIVEN("", "");

    private final String parameters;
    private final String arguments;

    Signature(String parameters, String arguments) {
        this.parameters = parameters;
        this.arguments = arguments;
    }

    String parameters() {
        return parameters;
    }

    String arguments() {
        return arguments;
    }
}
