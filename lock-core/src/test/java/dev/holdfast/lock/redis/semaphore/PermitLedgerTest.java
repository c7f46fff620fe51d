package dev.holdfast.lock.redis.semaphore;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.redis.semaphore.PermitLedger.Entry;
import org.junit.jupiter.api.Test;

/** The judge of the permit runs finds what it is there to find. */
class PermitLedgerTest {

    private final PermitLedger ledger = new PermitLedger();

    @Test
    void permitsUpToTheNumberAreInOrder() {
        ledger.add(new Entry(0, 10, 2, 1));
        ledger.add(new Entry(5, 15, 2, 2));
        ledger.add(new Entry(10, 20, 2, 3));

        assertThat(ledger.violations()).isEmpty();
        assertThat(ledger.most()).isEqualTo(2);
    }

    @Test
    void onePermitTooManyIsFound() {
        ledger.add(new Entry(0, 11, 2, 1));
        ledger.add(new Entry(5, 15, 2, 2));
        ledger.add(new Entry(10, 20, 2, 3));

        assertThat(ledger.violations()).singleElement().asString().startsWith("3 held of 2");
    }

    @Test
    void permitsThatWereHeldBeforeTheNumberBecameSmallerStay() {
        ledger.add(new Entry(0, 10, 2, 1));
        ledger.add(new Entry(1, 20, 2, 2));
        ledger.add(new Entry(20, 30, 1, 3));
        assertThat(ledger.violations()).isEmpty();

        ledger.add(new Entry(29, 40, 1, 4));
        assertThat(ledger.violations()).hasSize(1);
    }

    @Test
    void tokenThatComesTwiceIsFound() {
        ledger.add(new Entry(0, 10, 1, 7));
        ledger.add(new Entry(20, 30, 1, 7));

        assertThat(ledger.violations()).singleElement().asString().startsWith("token twice");
    }
}
