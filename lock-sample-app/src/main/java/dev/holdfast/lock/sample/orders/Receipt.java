package dev.holdfast.lock.sample.orders;

/**
 * The answer to a payment.
 *
 * @param orderId the order
 * @param text what became of it
 */
public record Receipt(String orderId, String text) {}
