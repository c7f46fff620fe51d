package dev.holdfast.lock.sample.stock;

import dev.holdfast.lock.spring.fencing.FencedBy;
import org.jspecify.annotations.Nullable;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.Version;
import org.springframework.data.relational.core.mapping.Table;

/**
 * The stock of an item. Its row keeps the fencing token of the last count, and refuses counts with a lower token. This refuses a holder whose lease
 * ended while it was paused, and which still believes that it holds the lock.
 *
 * @param fence the token of the last count
 */
@Table
record Stock(
        @Id String item,
        int quantity,

        @Version @FencedBy(name = "stock", key = "item") @Nullable
        Long fence) {

    Stock counted(int newQuantity) {
        return new Stock(item, newQuantity, fence);
    }
}
