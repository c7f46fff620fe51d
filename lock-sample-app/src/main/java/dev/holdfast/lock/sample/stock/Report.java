package dev.holdfast.lock.sample.stock;

import java.time.Instant;

/**
 * A report of the whole stock.
 *
 * @param at when it was written
 * @param instance the instance that wrote it
 * @param total the number of all items
 */
record Report(Instant at, String instance, int total) {}
