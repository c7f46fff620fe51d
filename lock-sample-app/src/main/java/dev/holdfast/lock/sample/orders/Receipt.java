package dev.holdfast.lock.sample.orders;

/**
 * The answer to a request about an order.
 *
 * @param orderId the order
 * @param text the state of the order
 */
public record Receipt(String orderId, String text) {}
