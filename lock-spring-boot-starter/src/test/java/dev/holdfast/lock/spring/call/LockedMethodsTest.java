package dev.holdfast.lock.spring.call;

import static dev.holdfast.lock.spring.fixture.Locked.lock;
import static dev.holdfast.lock.spring.fixture.StartUp.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.call.elsewhere.Base;
import dev.holdfast.lock.spring.fixture.Locked;
import dev.holdfast.lock.spring.fixture.StartUp.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The lock belongs to the method: whoever calls it, the body sees its lock. Methods return the lock under which they ran. */
@ExtendWith(OutputCaptureExtension.class)
class LockedMethodsTest {

    static Stream<Refusal> refusals() {
        return Stream.of(
                refused(OfAnotherPackage.class, "Base.run()", "package-private", "Make it protected or public"),
                refused(SealedJob.class, "SealedJob", "is sealed", "non-sealed"),
                refused(Processor.class, "Processor.run", "is a post-processor", "ObjectProvider"),
                refused(MakesProcessor.class, "Processor.run", "is a post-processor"));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void declarationThatCannotWorkIsRefused(Refusal refusal) {
        refusal.check();
    }

    private static final String INSIDE = "only calls through the proxy";

    @AutoClose
    private static Locked app;

    private static Shop shop;

    @BeforeAll
    static void start() {
        app = Locked.application(Shop.class);
        shop = app.bean(Shop.class);
    }

    @Test
    void callThroughThisIsLocked() {
        assertThat(shop.viaThis("7")).isEqualTo("order:7");
        assertThat(shop.viaProtected()).isEqualTo("protected");
        assertThat(shop.viaPackage()).isEqualTo("package");
    }

    @Test
    void callThroughTheProxyAcquiresOnceAndEvaluatesItsKeyOnce() {
        List<String> evaluated = new ArrayList<>();
        long before = app.locks().statistics().acquired();
        assertThat(shop.counted(new Counted(evaluated))).isEqualTo("counted:id");
        assertThat(app.locks().statistics().acquired() - before).isEqualTo(1);
        assertThat(evaluated).hasSize(1);
    }

    public record Counted(List<String> evaluated) {
        public String getId() {
            evaluated.add("id");
            return "id";
        }
    }

    static class Shop {
        @DistributedLock(name = "order", key = "#id")
        public String pay(String id) {
            return lock();
        }

        String viaThis(String id) {
            return pay(id);
        }

        @DistributedLock(name = "protected")
        protected String inProtected() {
            return lock();
        }

        public String viaProtected() {
            return inProtected();
        }

        @DistributedLock(name = "package")
        String inPackage() {
            return lock();
        }

        public String viaPackage() {
            return inPackage();
        }

        @DistributedLock(name = "counted", key = "#counted.id")
        public String counted(Counted counted) {
            return lock();
        }
    }

    @Test
    void callInTheConstructorIsLocked() {
        try (Locked own = Locked.application(Constructed.class, Dependency.class)) {
            assertThat(own.bean(Constructed.class).seen()).isEqualTo("constructed text dependency");
        }
    }

    static class Dependency {}

    static class Constructed {
        private final String seen;

        Constructed() {
            throw new IllegalStateException();
        }

        @Autowired
        Constructed(@Value("text") String text, @Qualifier("lockedMethodsTest.Dependency") Dependency dependency) {
            seen = run() + " " + text + (dependency == null ? "" : " dependency");
        }

        public String seen() {
            return seen;
        }

        @DistributedLock(name = "constructed")
        public String run() {
            return lock();
        }
    }

    static class OfAnotherPackage extends Base {}

    @Test
    void beanUsesTheLocksOfItsOwnContext() {
        try (Locked other = Locked.application(Shop.class)) {
            long before = app.locks().statistics().acquired();
            assertThat(shop.viaThis("7")).isEqualTo("order:7");
            assertThat(app.locks().statistics().acquired() - before).isEqualTo(1);
            assertThat(other.locks().statistics().acquired()).isZero();
        }
    }

    @Test
    void beanThatIsRegisteredAfterTheRefreshIsLocked() {
        try (Locked own = Locked.application(Dependency.class)) {
            own.context().registerBean("late", Shop.class);
            assertThat(own.bean(Shop.class).viaThis("7")).isEqualTo("order:7");
            assertThat(own.context()
                            .getAutowireCapableBeanFactory()
                            .createBean(Shop.class)
                            .viaThis("7"))
                    .isEqualTo("order:7");
        }
    }

    @Test
    void fallbackWithALockOfItsOwnIsLocked() {
        try (Locked own = Locked.application(LockedFallback.class);
                Lease other = own.locks().getLock("first").acquire()) {
            assertThat(own.bean(LockedFallback.class).first()).isEqualTo("second");
            assertThat(other.isHeld()).isTrue();
        }
    }

    static class LockedFallback {
        @DistributedLock(name = "first", fallback = "second")
        public String first() {
            return lock();
        }

        @DistributedLock(name = "second")
        public String second() {
            return lock();
        }
    }

    @Test
    void callAfterTheContextHasClosedSaysSo() {
        Shop closed;
        try (Locked other = Locked.application(Shop.class)) {
            closed = (Shop) AopProxyUtils.getSingletonTarget(other.bean(Shop.class));
        }
        assertThatThrownBy(() -> closed.viaThis("7"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Shop.pay")
                .hasMessageContaining("has been closed")
                .hasMessageContaining("was not run");
    }

    @Test
    void objectThatCodeMakesIsLockedThroughItsProxyAndReported(CapturedOutput output) {
        try (Locked own = Locked.application(MadeByCode.class)) {
            assertThat(own.bean(Shop.class).pay("7")).isEqualTo("order:7");
        }
        assertThat(output).contains("WARN", INSIDE, "'shop'", "made by code");
    }

    @Configuration(proxyBeanMethods = false)
    static class MadeByCode {
        @Bean
        Shop shop() {
            return new Shop();
        }
    }

    @Test
    void beanWhoseMethodsTakeTheirLocksIsNotReported(CapturedOutput output) {
        Locked.application(Shop.class).close();
        assertThat(output).doesNotContain(INSIDE);
    }

    @Test
    void recordBehindAnInterfaceIsReported(CapturedOutput output) {
        try (Locked own = Locked.application(RecordJob.class)) {
            assertThat(own.bean(Job.class).run()).isEqualTo("record");
        }
        assertThat(output).contains(INSIDE, "its class is final");
    }

    interface Job {
        String run();
    }

    record RecordJob() implements Job {
        @Override
        @DistributedLock(name = "record")
        public String run() {
            return lock();
        }

        String viaThis() {
            return run();
        }
    }

    static sealed class SealedJob permits SealedSubclass {
        @DistributedLock(name = "sealed")
        public void run() {}
    }

    static final class SealedSubclass extends SealedJob {}

    static class Processor implements BeanPostProcessor {
        @DistributedLock(name = "processor")
        public void run() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class MakesProcessor {
        @Bean
        static Processor processor() {
            return new Processor();
        }
    }

    @Test
    void classWithoutInterfacesIsStillProxiedAsAClass() {
        assertThat(AopUtils.isCglibProxy(shop)).isTrue();
        assertThat(shop.getClass().getSuperclass()).isEqualTo(Shop.class);
        assertThat(AopUtils.getTargetClass(shop)).isEqualTo(Shop.class);
        assertThat(AopProxyUtils.getSingletonTarget(shop).getClass()).isNotEqualTo(Shop.class);
    }
}
