package dev.holdfast.lock.sample.stock;

/**
 * Somebody tried to write the stock.
 *
 * @param item what was counted
 * @param quantity how many there were
 * @param fence the writer's fencing token
 * @param accepted false if the database refused it as stale
 */
public record StockWrite(String item, int quantity, long fence, boolean accepted) {}
