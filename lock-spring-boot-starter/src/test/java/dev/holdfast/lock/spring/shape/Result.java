package dev.holdfast.lock.spring.shape;

/** The result of the method, and the way in which its body is run. */
enum Result {
    VOID("void", "BODY;"),
    STRING("String", "return BODY;"),
    INT("int", "BODY; return 1;"),
    FUTURE("CompletableFuture<String>", "return CompletableFuture.supplyAsync(() -> BODY);"),
    MONO("Mono<String>", "return Mono.fromSupplier(() -> BODY);"),
    FLUX("Flux<String>", "return Flux.defer(() -> Flux.just(BODY));"),
    OBJECT("StringBuilder", "BODY; return new StringBuilder();"),
    /** The first parameter. */
    FIRST("Object", "BODY; return bean;");

    private final String type;
    private final String code;

    Result(String type, String code) {
        this.type = type;
        this.code = code;
    }

    String type() {
        return type;
    }

    String code(String body) {
        return code.replace("BODY", body);
    }

    boolean isReactive() {
        return this == MONO || this == FLUX;
    }
}
