package dev.holdfast.lock.chaos;

/**
 * A write that reached a register.
 *
 * @param lock the lock that protects the register
 * @param by who wrote
 * @param token the token that it showed
 * @param at when the register decided, in the order of the list
 * @param accepted what the register decided
 */
record Write(String lock, Attempt by, long token, long at, boolean accepted) {}
