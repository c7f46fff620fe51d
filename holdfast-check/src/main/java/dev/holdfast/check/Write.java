package dev.holdfast.check;

/**
 * A write that reached a register.
 *
 * @param lock the lock that protects the register
 * @param by the writer
 * @param token the token of the write
 * @param at the time of the decision, which increases along the list
 * @param accepted whether the register accepted the write
 */
record Write(String lock, Attempt by, long token, long at, boolean accepted) {}
