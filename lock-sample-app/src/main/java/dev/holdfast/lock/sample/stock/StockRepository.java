package dev.holdfast.lock.sample.stock;

import org.springframework.data.jdbc.repository.query.Query;
import org.springframework.data.repository.CrudRepository;

/** The stock in the database. */
interface StockRepository extends CrudRepository<Stock, String> {

    @Query("select sum(quantity) from stock")
    int total();
}
