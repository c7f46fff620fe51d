package dev.holdfast.lock.spring.fencing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.OnLost;
import dev.holdfast.lock.spring.fixture.Locked;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Which of the held locks protects a write. */
class ProtectingLockTest {

    @AutoClose
    private static Locked app;

    private static Shop shop;

    @BeforeAll
    static void start() {
        app = Locked.application(Shop.class);
        shop = app.bean(Shop.class);
    }

    @Test
    void withoutALockThereIsNoToken() {
        assertThat(token("stock", null)).isEmpty();
        shop.prices(() -> assertThat(token("stock", null)).isEmpty());
    }

    @Test
    void onlyLockOfTheNameProtectsWithoutAKey() {
        shop.stock("lamp", () -> assertThat(token("stock", null)).hasValue(current()));
    }

    @Test
    void outerLockOfTheNameProtects() {
        shop.stock("lamp", () -> {
            long outer = current();
            return shop.prices(() -> assertThat(token("stock", null)).hasValue(outer));
        });
    }

    @Test
    void nameThatBeginsAlikeIsAnotherLock() {
        shop.stock("lamp", () -> assertThat(token("sto", null)).isEmpty());
        shop.stock("lamp", () -> assertThat(token("stock", "lam")).isEmpty());
    }

    @Test
    void severalLocksOfTheNameNeedAKey() {
        shop.stock("lamp", () -> {
            long lamp = current();
            return shop.stock("boat", () -> {
                assertThat(token("stock", "lamp")).hasValue(lamp);
                assertThat(token("stock", "boat")).hasValue(current());
                return assertThatIllegalStateException()
                        .isThrownBy(() -> token("stock", null))
                        .withMessageContaining("'stock:boat', 'stock:lamp'")
                        .withMessageContaining("Set 'key' of @FencedBy");
            });
        });
    }

    @Test
    void lockThatCoversSeveralKeysProtectsEach() {
        shop.both("lamp", "boat", () -> {
            assertThat(token("stock", "lamp")).hasValue(current());
            assertThat(token("stock", "boat")).hasValue(current());
            return assertThat(token("stock", null)).hasValue(current());
        });
    }

    @Test
    void lockThatIsAcquiredAgainAfterALossProtectsWithItsNewToken() {
        shop.stock("lamp", () -> {
            long lost = current();
            app.locks().forceRelease("stock:lamp");
            assertThat(LockContext.current().verify()).isFalse();
            return shop.stock("lamp", () -> {
                assertThat(current()).isGreaterThan(lost);
                return assertThat(token("stock", "lamp")).hasValue(current());
            });
        });
    }

    @Test
    void sharedLocksDoNotProtect() {
        shop.read(() -> assertThatIllegalStateException()
                .isThrownBy(() -> token("catalog", null))
                .withMessageContaining("is held as READ"));
        shop.permit(() -> assertThatIllegalStateException()
                .isThrownBy(() -> token("desk", null))
                .withMessageContaining("is held as SEMAPHORE"));
    }

    @Test
    void keyIsTheTextOfTheValue() {
        shop.stock(
                "a b%",
                () -> assertThat(ProtectingLock.of("stock", "a b%").fencingToken())
                        .hasValue(current()));
    }

    private static OptionalLong token(String name, String key) {
        return new ProtectingLock(name, key).fencingToken();
    }

    private static long current() {
        return LockContext.current().fencingToken();
    }

    static class Shop {

        @DistributedLock(name = "stock", key = "#article", onLost = OnLost.REPORT)
        public Object stock(String article, Supplier<?> work) {
            return work.get();
        }

        @DistributedLock(name = "stock", keys = "{#from, #to}")
        public Object both(String from, String to, Supplier<?> work) {
            return work.get();
        }

        @DistributedLock(name = "prices")
        public Object prices(Supplier<?> work) {
            return work.get();
        }

        @DistributedLock(name = "catalog", kind = LockKind.READ)
        public Object read(Supplier<?> work) {
            return work.get();
        }

        @DistributedLock(name = "desk", permits = "2")
        public Object permit(Supplier<?> work) {
            return work.get();
        }
    }
}
