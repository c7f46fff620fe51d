package dev.holdfast.lock.sample.orders;

/**
 * What a customer ordered.
 *
 * @param id the order's number
 */
public record Order(String id) {}
