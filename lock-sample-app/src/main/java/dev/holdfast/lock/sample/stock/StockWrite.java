package dev.holdfast.lock.sample.stock;

/**
 * An attempt to write the stock.
 *
 * @param item the counted item
 * @param quantity its quantity
 * @param fence the writer's fencing token
 * @param accepted false if the database refused the write as stale
 */
public record StockWrite(String item, int quantity, long fence, boolean accepted) {}
