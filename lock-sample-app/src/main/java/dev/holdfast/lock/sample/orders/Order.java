package dev.holdfast.lock.sample.orders;

/**
 * A customer's order.
 *
 * @param id the order's number
 */
public record Order(String id) {}
