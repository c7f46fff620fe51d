package dev.holdfast.lock.spring.shape;

/** What else is around the method. */
enum Around {
    NOTHING,
    TRANSACTION,
    ASYNC
}
