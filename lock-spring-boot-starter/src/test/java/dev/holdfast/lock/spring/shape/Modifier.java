package dev.holdfast.lock.spring.shape;

enum Modifier {
    NONE(""),
    FINAL("final"),
    STATIC("static"),
    SYNCHRONIZED("synchronized");

    private final String code;

    Modifier(String code) {
        this.code = code;
    }

    String code() {
        return code;
    }
}
