package dev.holdfast.lock.sample.prices;

import java.math.BigDecimal;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Prices over HTTP. */
@RestController
@RequestMapping("/prices/{item}")
class PriceController {

    private final PriceList prices;

    PriceController(PriceList prices) {
        this.prices = prices;
    }

    @GetMapping
    ResponseEntity<BigDecimal> price(@PathVariable String item) {
        return ResponseEntity.of(prices.price(item));
    }

    @PostMapping
    void change(@PathVariable String item, @RequestParam BigDecimal price) {
        prices.change(item, price);
    }
}
