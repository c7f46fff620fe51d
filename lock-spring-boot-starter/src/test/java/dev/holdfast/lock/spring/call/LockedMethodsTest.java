package dev.holdfast.lock.spring.call;

import static dev.holdfast.lock.spring.fixture.StartUp.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.call.elsewhere.Base;
import dev.holdfast.lock.spring.fixture.Locked;
import jakarta.annotation.PostConstruct;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanNameAware;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationContextAware;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.samples.Clinic;

/** The lock belongs to the method: whoever calls it, the body sees its lock. Methods return the lock under which they ran. */
@ExtendWith(OutputCaptureExtension.class)
class LockedMethodsTest {

    private static final String INSIDE = "only calls through the proxy";

    static String lock() {
        return LockContext.find().map(lease -> lease.lockName()).orElse("none");
    }

    @Test
    void callThroughThisIsLocked() {
        try (Locked app = Locked.application(Shop.class)) {
            Shop shop = app.bean(Shop.class);
            assertThat(shop.viaThis("7")).isEqualTo("order:7");
            assertThat(shop.viaReference("7")).isEqualTo("order:7");
            assertThat(shop.viaLambda("7")).isEqualTo("order:7");
            assertThat(shop.viaProtected()).isEqualTo("protected");
            assertThat(shop.viaPackage()).isEqualTo("package");
        }
    }

    @Test
    void callThroughTheProxyAcquiresOnce() {
        try (Locked app = Locked.application(Shop.class)) {
            long before = app.locks().statistics().acquired();
            assertThat(app.bean(Shop.class).pay("7")).isEqualTo("order:7");
            assertThat(app.locks().statistics().acquired() - before).isEqualTo(1);
        }
    }

    @Test
    void keyIsEvaluatedOnceForACallThroughTheProxy() {
        List<String> evaluated = new ArrayList<>();
        try (Locked app = Locked.application(Shop.class)) {
            app.bean(Shop.class).counted(new Counted(evaluated));
        }
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

        public String viaReference(String id) {
            Function<String, String> pay = this::pay;
            return pay.apply(id);
        }

        public String viaLambda(String id) {
            Supplier<String> pay = () -> pay(id);
            return pay.get();
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
    void everyPrimitiveAndArrayPassesThrough() {
        try (Locked app = Locked.application(Types.class)) {
            Types types = app.bean(Types.class);
            assertThat(types.viaThis()).isEqualTo("1 2 3 4 5.0 6.0 x true [7] [a, b]");
        }
    }

    static class Types {
        @DistributedLock(name = "types")
        public String all(byte a, short b, int c, long d, float e, double f, char g, boolean h, int[] i, String... j) {
            assertThat(lock()).isEqualTo("types");
            return a + " " + b + " " + c + " " + d + " " + e + " " + f + " " + g + " " + h + " "
                    + java.util.Arrays.toString(i) + " " + List.of(j);
        }

        public String viaThis() {
            assertThat(number()).isEqualTo(4L);
            nothing();
            return all((byte) 1, (short) 2, 3, number(), 5, 6, 'x', true, new int[] {7}, "a", "b");
        }

        @DistributedLock(name = "number")
        long number() {
            return 4;
        }

        @DistributedLock(name = "nothing")
        void nothing() {}
    }

    @Test
    void exceptionOfTheMethodReachesItsCaller() {
        try (Locked app = Locked.application(Failing.class)) {
            assertThatThrownBy(() -> app.bean(Failing.class).viaThis())
                    .isInstanceOf(java.io.IOException.class)
                    .hasMessage("failing");
            assertThat(app.isHeld("failing")).isFalse();
        }
    }

    static class Failing {
        @DistributedLock(name = "failing")
        public void run() throws java.io.IOException {
            throw new java.io.IOException(lock());
        }

        public void viaThis() throws java.io.IOException {
            run();
        }
    }

    @Test
    void stageOfACallThroughThisHoldsTheLockUntilItEnds() {
        CompletableFuture<String> work = new CompletableFuture<>();
        try (Locked app = Locked.application(Staged.class)) {
            CompletableFuture<String> result = app.bean(Staged.class).viaThis(work);
            assertThat(app.isHeld("staged")).isTrue();
            work.complete("done");
            assertThat(result.join()).isEqualTo("done");
            assertThat(app.isHeld("staged")).isFalse();
        }
    }

    static class Staged {
        @DistributedLock(name = "staged")
        public CompletableFuture<String> run(CompletableFuture<String> work) {
            return work;
        }

        public CompletableFuture<String> viaThis(CompletableFuture<String> work) {
            return run(work);
        }
    }

    @Test
    void callsOfSpringItselfAreLocked() {
        try (Locked app = Locked.application(CalledBySpring.class)) {
            assertThat(app.bean(CalledBySpring.class).seen())
                    .containsExactlyInAnyOrder("construct", "autowired", "value", "name", "context", "properties");
        }
    }

    static class CalledBySpring implements BeanNameAware, ApplicationContextAware, InitializingBean {
        private final List<String> seen = new ArrayList<>();

        public List<String> seen() {
            return seen;
        }

        @PostConstruct
        @DistributedLock(name = "construct")
        void begin() {
            seen.add(lock());
        }

        @Autowired
        @DistributedLock(name = "autowired")
        void use(ApplicationContext context) {
            seen.add(lock());
        }

        @Value("text")
        @DistributedLock(name = "value")
        public void take(String text) {
            seen.add(lock());
        }

        @Override
        @DistributedLock(name = "name")
        public void setBeanName(String name) {
            seen.add(lock());
        }

        @Override
        @DistributedLock(name = "context")
        public void setApplicationContext(ApplicationContext context) {
            seen.add(lock());
        }

        @Override
        @DistributedLock(name = "properties")
        public void afterPropertiesSet() {
            seen.add(lock());
        }
    }

    @Test
    void callInTheConstructorIsLocked() {
        try (Locked app = Locked.application(Constructed.class, Dependency.class)) {
            assertThat(app.bean(Constructed.class).seen()).isEqualTo("constructed text dependency");
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

    @Test
    void frameworkThatCallsAnOverrideThroughThisIsLocked() {
        try (Locked app = Locked.application(Filter.class)) {
            assertThat(app.bean(Filters.class).doFilter()).isEqualTo("filter");
        }
    }

    abstract static class Framework {
        public final String doFilter() {
            return doFilterInternal();
        }

        protected abstract String doFilterInternal();
    }

    /** The proxy of a class would run the final method on itself. */
    interface Filters {
        String doFilter();
    }

    static class Filter extends Framework implements Filters {
        @Override
        @DistributedLock(name = "filter")
        protected String doFilterInternal() {
            return lock();
        }
    }

    @Test
    void packagePrivateMethodOfAnotherPackageIsRefused() {
        assertRefused(OfAnotherPackage.class, "Base.run()", "package-private", "Make it protected or public");
    }

    static class OfAnotherPackage extends Base {}

    @Test
    void applicationInAPackageOfSpringsNameIsCheckedAndLocked() {
        assertRefused(Clinic.Invalid.class, "Clinic$Invalid.treat()", "private");
        try (Locked app = Locked.application(Clinic.class)) {
            assertThat(app.bean(Clinic.class).visit()).isEqualTo("clinic");
        }
    }

    @Test
    void genericMethodsAndDefaultMethodsAreLocked() {
        try (Locked app = Locked.application(Strings.class)) {
            @SuppressWarnings("unchecked")
            Handler<String> handler = app.bean(Handler.class);
            assertThat(handler.handle("x")).isEqualTo("strings");
            assertThat(handler.twice("x")).isEqualTo("strings strings");
            assertThat(handler.viaThis()).isEqualTo("default");
        }
    }

    interface Handler<T> {
        String handle(T value);

        String twice(T value);

        String viaThis();

        @DistributedLock(name = "default")
        default String inDefault() {
            return lock();
        }
    }

    abstract static class Twice<T> implements Handler<T> {
        @Override
        public String twice(T value) {
            return handle(value) + " " + handle(value);
        }
    }

    static class Strings extends Twice<String> {
        @Override
        @DistributedLock(name = "strings")
        public String handle(String value) {
            return lock();
        }

        @Override
        public String viaThis() {
            return inDefault();
        }
    }

    @Test
    void prototypeAndLazyBeansAreLocked() {
        try (Locked app = Locked.application(Prototype.class, LazyBean.class)) {
            assertThat(app.bean(Prototype.class).viaThis()).isEqualTo("prototype");
            assertThat(app.bean(LazyBean.class).viaThis()).isEqualTo("lazy");
        }
    }

    @Scope("prototype")
    static class Prototype {
        @DistributedLock(name = "prototype")
        public String run() {
            return lock();
        }

        public String viaThis() {
            return run();
        }
    }

    @Lazy
    static class LazyBean {
        @DistributedLock(name = "lazy")
        public String run() {
            return lock();
        }

        public String viaThis() {
            return run();
        }
    }

    @Test
    void beanUsesTheLocksOfItsOwnContext() {
        try (Locked first = Locked.application(Shop.class);
                Locked second = Locked.application(Shop.class)) {
            long before = first.locks().statistics().acquired();
            assertThat(first.bean(Shop.class).viaThis("7")).isEqualTo("order:7");
            assertThat(first.locks().statistics().acquired() - before).isEqualTo(1);
            assertThat(second.locks().statistics().acquired()).isZero();
        }
    }

    @Test
    void beanThatIsRegisteredAfterTheRefreshIsLocked() {
        try (Locked app = Locked.application(Dependency.class)) {
            app.context().registerBean("late", Shop.class);
            assertThat(app.bean(Shop.class).viaThis("7")).isEqualTo("order:7");
            assertThat(app.context()
                            .getAutowireCapableBeanFactory()
                            .createBean(LazyBean.class)
                            .viaThis())
                    .isEqualTo("lazy");
        }
    }

    @Test
    void fallbackWithALockOfItsOwnIsLocked() {
        try (Locked app = Locked.application(LockedFallback.class);
                Lease other = app.locks().getLock("first").acquire()) {
            assertThat(app.bean(LockedFallback.class).first()).isEqualTo("second");
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
        Staged staged;
        try (Locked app = Locked.application(Staged.class)) {
            staged = (Staged) AopProxyUtils.getSingletonTarget(app.bean(Staged.class));
        }
        assertThatThrownBy(() -> staged.viaThis(new CompletableFuture<>()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Staged.run")
                .hasMessageContaining("has been closed")
                .hasMessageContaining("was not run");
    }

    @Test
    void objectThatCodeMakesIsLockedThroughItsProxyAndReported(CapturedOutput output) {
        try (Locked app = Locked.application(MadeByCode.class)) {
            assertThat(app.bean(Shop.class).pay("7")).isEqualTo("order:7");
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
        Locked.application(Shop.class, Strings.class, LazyBean.class).close();
        assertThat(output).doesNotContain(INSIDE);
    }

    @Test
    void recordBehindAnInterfaceIsReported(CapturedOutput output) {
        try (Locked app = Locked.application(RecordJob.class)) {
            assertThat(app.bean(Job.class).run()).isEqualTo("record");
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

    @Test
    void sealedClassIsRefused() {
        assertRefused(SealedJob.class, "SealedJob", "is sealed", "non-sealed");
    }

    static sealed class SealedJob permits SealedSubclass {
        @DistributedLock(name = "sealed")
        public void run() {}
    }

    static final class SealedSubclass extends SealedJob {}

    @Test
    void lockedMethodOfAPostProcessorIsRefused() {
        assertRefused(Processor.class, "Processor.run", "is a post-processor", "ObjectProvider");
    }

    static class Processor implements BeanPostProcessor {
        @DistributedLock(name = "processor")
        public void run() {}
    }

    @Test
    void lockedMethodOfAPostProcessorThatCodeMakesIsRefused() {
        assertRefused(MakesProcessor.class, "Processor.run", "is a post-processor");
    }

    @Configuration(proxyBeanMethods = false)
    static class MakesProcessor {
        @Bean
        static Processor processor() {
            return new Processor();
        }
    }

    @Test
    void objectBehindAProxyOfInterfacesIsLocked() {
        try (Locked app = Locked.application(PlainJob.class)) {
            Job job = app.bean(Job.class);
            assertThat(AopUtils.isJdkDynamicProxy(job)).isTrue();
            assertThat(job.run()).isEqualTo("hidden");
        }
    }

    static class PlainJob implements Job {
        @Override
        public String run() {
            return hidden();
        }

        @DistributedLock(name = "hidden")
        public String hidden() {
            return lock();
        }
    }

    @Test
    void classWithoutInterfacesIsStillProxiedAsAClass() {
        try (Locked app = Locked.application(Shop.class)) {
            assertThat(AopUtils.isCglibProxy(app.bean(Shop.class))).isTrue();
            assertThat(app.bean(Shop.class).getClass().getSuperclass()).isEqualTo(Shop.class);
            assertThat(AopUtils.getTargetClass(app.bean(Shop.class))).isEqualTo(Shop.class);
            assertThat(AopProxyUtils.getSingletonTarget(app.bean(Shop.class)).getClass())
                    .isNotEqualTo(Shop.class);
        }
    }
}
