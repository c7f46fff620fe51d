package dev.holdfast.lock.spring.boot;

import static dev.holdfast.lock.spring.fixture.Locked.lock;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.verify;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.testing.RedisServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Service;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.context.bean.override.convention.TestBean;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.context.bean.override.mockito.MockitoSpyBean;

/** A test as users write it, which replaces beans with locked methods. */
@SpringBootTest(
        webEnvironment = WebEnvironment.NONE,
        properties = {
            "holdfast.locks.pay.wait-time=1s",
            "holdfast.locks.ship.wait-time=1s",
            "holdfast.locks.bill.wait-time=1s",
            "holdfast.locks.mail.wait-time=1s",
            "logging.level.dev.holdfast=info"
        })
@ExtendWith(OutputCaptureExtension.class)
class ReplacedBeansTest {

    @MockitoBean
    Payments payments;

    @MockitoSpyBean
    Shipping shipping;

    @TestBean
    Bills bills;

    @MockitoBean
    Mail mail;

    @Autowired
    Shop shop;

    static Bills bills() {
        return new Bills();
    }

    @DynamicPropertySource
    static void redis(DynamicPropertyRegistry properties) {
        properties.add("spring.data.redis.host", () -> "127.0.0.1");
        properties.add("spring.data.redis.port", RedisServer.shared()::port);
        properties.add("holdfast.key-prefix", () -> "replaced:");
    }

    /** Written when the context started, before this test or an earlier one. */
    @Test
    void oneLineThatIsNoWarningNamesAllOfThem(CapturedOutput output) {
        assertThat(output.getAll().lines().filter(line -> line.contains("without their locks")))
                .singleElement()
                .asString()
                .contains("INFO", "$Bills", "$Payments")
                .doesNotContain("$Shipping", "$Shop");
    }

    @Test
    void spyTakesTheLock() {
        assertThat(shipping.ship("7")).isEqualTo("ship:7");
        verify(shipping).ship("7");
    }

    @Test
    void objectOfATestRunsWithoutALock() {
        assertThat(bills.bill()).isEqualTo("none");
    }

    @Test
    void beanThatTheTestLeavesAloneTakesItsLock() {
        assertThat(shop.open()).isEqualTo("shop");
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Payments.class, Shipping.class, Bills.class, SmtpMail.class, Shop.class})
    static class Application {}

    @Service
    static class Payments {

        @DistributedLock(name = "pay", key = "#id")
        public String pay(String id) {
            return lock();
        }
    }

    @Service
    static class Shipping {

        @DistributedLock(name = "ship", key = "#id")
        public String ship(String id) {
            return lock();
        }
    }

    @Service
    static class Bills {

        @DistributedLock(name = "bill")
        public String bill() {
            return lock();
        }
    }

    interface Mail {

        String send();
    }

    @Service
    static class SmtpMail implements Mail {

        @Override
        @DistributedLock(name = "mail")
        public String send() {
            return lock();
        }
    }

    @Service
    static class Shop {

        @DistributedLock(name = "shop")
        public String open() {
            return lock();
        }
    }
}
