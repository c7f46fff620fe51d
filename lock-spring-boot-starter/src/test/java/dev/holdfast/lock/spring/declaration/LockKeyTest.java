package dev.holdfast.lock.spring.declaration;

import static dev.holdfast.lock.spring.fixture.Locked.lock;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.InvalidLockKeyException;
import dev.holdfast.lock.spring.fixture.Locked;
import dev.holdfast.lock.testing.Nightly;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.ProxyFactory;

/** What a key's expression sees, and what becomes of its value. */
class LockKeyTest {

    @AutoClose
    private static Locked app;

    private static Keys keys;

    @BeforeAll
    static void start() {
        app = Locked.application(Keys.class);
        keys = app.bean(Keys.class);
    }

    record Customer(String id) {}

    record Order(long id, Customer customer, @Nullable String note) {}

    static final Order ORDER = new Order(4711, new Customer("ann"), null);

    @Test
    void argumentIsFoundByItsNameAndItsPlace() {
        assertThat(keys.byName("a", "b")).isEqualTo("k:b");
        assertThat(keys.byPlace("a", "b")).isEqualTo("k:a-b");
        assertThat(keys.byRoot("a", "b")).isEqualTo("k:byRoot-b");
    }

    @Test
    void propertiesAndMethodsOfAnArgumentAreReached() {
        assertThat(keys.property(ORDER)).isEqualTo("k:4711");
        assertThat(keys.nested(ORDER)).isEqualTo("k:ANN");
        assertThat(keys.root()).isEqualTo("k:tenant-7");
    }

    @Test
    void enumsNumbersAndIdsAreTheirText() {
        UUID id = UUID.randomUUID();
        assertThat(keys.any(id)).isEqualTo("k:" + id);
        assertThat(keys.any(7)).isEqualTo("k:7");
        assertThat(keys.any(Thread.State.BLOCKED)).isEqualTo("k:BLOCKED");
        assertThat(keys.any(Optional.of("x"))).isEqualTo("k:x");
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", "  ", "\t"})
    void nullOrBlankKeyIsRefusedWithMethodAndExpression(@Nullable String key) {
        assertThatThrownBy(() -> keys.any(key))
                .isInstanceOf(InvalidLockKeyException.class)
                .hasMessageContaining("'#value'")
                .hasMessageContaining("Keys.any(java.lang.Object)")
                .hasMessageMatching(".* is (null|blank): .*");
    }

    @Test
    void emptyOptionalIsNull() {
        assertThatThrownBy(() -> keys.any(Optional.empty())).hasMessageContaining("is null");
    }

    @Test
    void nullOnTheWayToTheKeyIsRefused() {
        assertThatThrownBy(() -> keys.nested(new Order(1, null, null)))
                .isInstanceOf(InvalidLockKeyException.class)
                .hasMessageContaining("could not be evaluated");
    }

    record Holder(byte[] id) {}

    record Basket(List<Object> items) {}

    static Stream<Object> valuesWithoutATextOfTheirOwn() {
        Object plain = new Plain();
        return Stream.of(
                plain,
                new Holder(new byte[] {1}),
                new Basket(List.of(plain)),
                Map.entry("a", plain),
                new AtomicReference<>(plain),
                proxyOf(plain),
                new Wrapping(plain),
                (Supplier<String>) () -> "a");
    }

    static class Plain {}

    /** As a lazy proxy of a persistence library: its class is another one, and its text that of what it stands for. */
    static class Wrapping extends Plain {
        private final Object target;

        Wrapping(Object target) {
            this.target = target;
        }

        @Override
        public String toString() {
            return target.toString();
        }
    }

    private static Object proxyOf(Object target) {
        ProxyFactory proxies = new ProxyFactory(target);
        proxies.setProxyTargetClass(true);
        return proxies.getProxy();
    }

    @ParameterizedTest
    @MethodSource("valuesWithoutATextOfTheirOwn")
    void textWithAnAddressIsRefused(Object value) {
        assertThatThrownBy(() -> keys.any(value))
                .isInstanceOf(InvalidLockKeyException.class)
                .hasMessageContaining("every call would see another key");
        assertThatThrownBy(() -> keys.composed("x", value))
                .isInstanceOf(InvalidLockKeyException.class)
                .hasMessageContaining("every call would see another key");
    }

    @Test
    void textThatLooksLikeAnAddressIsDataOfTheCaller() {
        assertThat(keys.any("com.shop.Order@1b2c3d4")).isEqualTo("k:com.shop.Order@1b2c3d4");
        assertThat(keys.any(new Customer("ann.lee@example.com"))).isEqualTo("k:Customer[id=ann.lee@example.com]");
        assertThat(keys.any(new Customer("ann@cafe.fr"))).isEqualTo("k:Customer[id=ann@cafe.fr]");
        assertThat(keys.composed("order", 7)).isEqualTo("k:order-7");
        assertThat(keys.composed("shop.item@12", 7)).isEqualTo("k:shop.item@12-7");
    }

    @Test
    void decimalNumbersOfAnotherScaleAreOtherLocks() {
        assertThat(keys.any(new BigDecimal("1.0"))).isEqualTo("k:1.0");
        assertThat(keys.any(new BigDecimal("1.00"))).isEqualTo("k:1.00");
        assertThat(keys.stripped(new BigDecimal("1.00"))).isEqualTo(keys.stripped(new BigDecimal("1.0")));
    }

    @Test
    void collectionIsRefusedAsOneKey() {
        assertThatThrownBy(() -> keys.any(List.of("a", "b"))).hasMessageContaining("use 'keys'");
        assertThatThrownBy(() -> keys.any(new String[] {"a"})).hasMessageContaining("use 'keys'");
        assertThatThrownBy(() -> keys.any(Map.of("a", 1))).hasMessageContaining("use 'keys'");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "#{systemProperties}|k:#%7BsystemProperties%7D",
                "${user.home}|k:$%7Buser.home%7D",
                "T(java.lang.Runtime).getRuntime()|k:T(java.lang.Runtime).getRuntime()",
                "{tenant}|k:%7Btenant%7D",
                "100%|k:100%25",
                "%7B|k:%257B",
                "größe|k:größe",
            })
    void valueIsDataHoweverItLooks(String value, String lockName) {
        assertThat(keys.any(value)).isEqualTo(lockName);
    }

    @Test
    void lineBreaksAndHalfCharactersAreEncoded() {
        assertThat(keys.any("a\r\nSET x\u0000\u2028")).isEqualTo("k:a%0D%0ASET x%00%E2%80%A8");
        assertThat(keys.any("\uD83D")).isEqualTo("k:%uD83D");
        assertThat(keys.any("\uD83D\uDD12")).isEqualTo("k:\uD83D\uDD12");
    }

    /** Of characters that mean something to SpEL, to placeholders, to Redis and to the encoding itself. */
    @Test
    void differentValuesNeverShareAKey() {
        String alphabet = "{}%#$:'()T?\\ aA7\r\n\u0000\u2028\ud83d\udd12\u00e9e\u0301";
        long seed = Nightly.Night.seed(1);
        Random random = new Random(seed);
        Map<String, String> values = new HashMap<>();
        for (int i = 0; i < 2_000; i++) {
            StringBuilder text = new StringBuilder();
            for (int length = 1 + random.nextInt(6); length > 0; length--) {
                text.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            String value = text.toString();
            if (value.isBlank()) {
                continue;
            }
            String lockName = keys.any(value);
            assertThat(lockName.substring(2)).as("seed %s", seed).doesNotContain("{", "}", "\r", "\n", "\u0000");
            String other = values.put(lockName, value);
            assertThat(other == null || other.equals(value))
                    .as("seed %s: %s", seed, lockName)
                    .isTrue();
        }
    }

    @Test
    void longValueIsRefusedAndNotCut() {
        assertThatThrownBy(() -> keys.any("x".repeat(10_240)))
                .isInstanceOf(InvalidLockKeyException.class)
                .hasMessageContaining("Keys.any(java.lang.Object)")
                .hasMessageContaining("512 bytes")
                .message()
                .hasSizeLessThan(1_000);
    }

    @Test
    void expressionCannotWriteToAnArgument() {
        assertThatThrownBy(() -> keys.writing(new StringBuilder("a"))).isInstanceOf(InvalidLockKeyException.class);
    }

    @Test
    void expressionCannotReachClasses() {
        assertThatThrownBy(() -> keys.reflecting("a")).isInstanceOf(InvalidLockKeyException.class);
    }

    @Test
    void keyOfElementsIsEachOnceAndInOrder() {
        KeyExpression expression = expression("#p0", "any", Object.class);
        assertThat(expression.evaluate(keys, new Object[] {List.of("b", "a", "b")}))
                .containsExactly("a", "b");
        assertThat(expression.evaluate(keys, new Object[] {new int[] {3, 1, 3}}))
                .containsExactly("1", "3");
        assertThat(expression.evaluate(keys, new Object[] {"one"})).containsExactly("one");
        assertThatThrownBy(() -> expression.evaluate(keys, new Object[] {List.of()}))
                .hasMessageContaining("is empty: there is nothing to lock");
    }

    private static KeyExpression expression(String text, String method, Class<?>... parameters) {
        try {
            return new KeyExpression(text, true, Keys.class.getMethod(method, parameters));
        } catch (NoSuchMethodException e) {
            throw new IllegalArgumentException(e);
        }
    }

    static class Keys {

        public String tenant = "hidden";

        public String getTenant() {
            return "tenant-7";
        }

        @DistributedLock(name = "k", key = "#second")
        public String byName(String first, String second) {
            return lock();
        }

        @DistributedLock(name = "k", key = "#p0 + '-' + #a1")
        public String byPlace(String first, String second) {
            return lock();
        }

        @DistributedLock(name = "k", key = "#root.method.name + '-' + #root.args[1]")
        public String byRoot(String first, String second) {
            return lock();
        }

        @DistributedLock(name = "k", key = "#root.target.tenant")
        public String root() {
            return lock();
        }

        @DistributedLock(name = "k", key = "#order.id")
        public String property(Order order) {
            return lock();
        }

        @DistributedLock(name = "k", key = "#order.customer.id().toUpperCase()")
        public String nested(Order order) {
            return lock();
        }

        @DistributedLock(name = "k", key = "#value")
        public String any(@Nullable Object value) {
            return lock();
        }

        @DistributedLock(name = "k", key = "#first + '-' + #second")
        public String composed(String first, Object second) {
            return lock();
        }

        @DistributedLock(name = "k", key = "#amount.stripTrailingZeros()")
        public String stripped(BigDecimal amount) {
            return lock();
        }

        @DistributedLock(name = "k", key = "#text = 'b'")
        public String writing(StringBuilder text) {
            return lock();
        }

        @DistributedLock(name = "k", key = "#text.getClass().getClassLoader()")
        public String reflecting(String text) {
            return lock();
        }
    }
}
