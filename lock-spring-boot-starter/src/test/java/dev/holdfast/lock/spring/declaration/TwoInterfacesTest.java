package dev.holdfast.lock.spring.declaration;

import static dev.holdfast.lock.spring.fixture.StartUp.assertFine;
import static dev.holdfast.lock.spring.fixture.StartUp.assertRefused;

import dev.holdfast.lock.spring.DistributedLock;
import org.junit.jupiter.api.Test;

/** Only the closest annotation applies. Two interfaces are equally close. */
class TwoInterfacesTest {

    interface Billing {
        @DistributedLock(name = "billing")
        void run();
    }

    interface Shipping {
        @DistributedLock(name = "shipping")
        void run();
    }

    interface AlsoBilling {
        @DistributedLock(name = "billing")
        void run();
    }

    interface CardBilling extends Billing {
        @Override
        @DistributedLock(name = "card-billing")
        void run();
    }

    static class Both implements Billing, Shipping {
        @Override
        public void run() {}
    }

    @Test
    void methodWithTwoLocksFromTwoInterfacesIsRefused() {
        assertRefused(
                Both.class,
                "Both.run()",
                "Billing",
                "Shipping",
                "only one of them would be taken",
                "Annotate the method itself");
    }

    static class CardAfterItsParent implements Billing, CardBilling {
        @Override
        public void run() {}
    }

    @Test
    void interfaceThatExtendsTheOtherAndComesAfterItIsRefused() {
        assertRefused(CardAfterItsParent.class, "CardBilling");
    }

    @Test
    void clearPlacesAreFine() {
        assertFine(Itself.class);
        assertFine(Same.class);
        assertFine(Nearer.class);
    }

    static class Itself implements Billing, Shipping {
        @Override
        @DistributedLock(name = "both")
        public void run() {}
    }

    static class Same implements Billing, AlsoBilling {
        @Override
        public void run() {}
    }

    static class Nearer implements CardBilling {
        @Override
        public void run() {}
    }
}
