package dev.holdfast.lock.sample.prices;

import dev.holdfast.lock.sample.UnknownItemException;
import jakarta.validation.constraints.Digits;
import jakarta.validation.constraints.Positive;
import java.math.BigDecimal;
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
    BigDecimal price(@PathVariable String item) {
        return prices.price(item).orElseThrow(() -> new UnknownItemException(item));
    }

    @PostMapping
    void change(
            @PathVariable String item, @RequestParam @Positive @Digits(integer = 8, fraction = 2) BigDecimal price) {
        prices.change(item, price);
    }
}
