package dev.holdfast.lock.spring.shape;

enum Visibility {
    PUBLIC("public"),
    PROTECTED("protected"),
    PACKAGE(""),
    PRIVATE("private");

    private final String code;

    Visibility(String code) {
        this.code = code;
    }

    String code() {
        return code;
    }
}
