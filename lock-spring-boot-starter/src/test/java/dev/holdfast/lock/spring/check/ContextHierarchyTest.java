package dev.holdfast.lock.spring.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.boot.LockInterceptionConfiguration;
import dev.holdfast.lock.spring.fixture.FreeLocks;
import dev.holdfast.lock.spring.fixture.Locked;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/** A context with a parent: each has an interceptor, and both use the parent's client. */
@ExtendWith(OutputCaptureExtension.class)
class ContextHierarchyTest {

    @Test
    void childsCallOfAParentsMethodWithTheSameLockReenters() {
        try (Locked parent = Locked.application(Stock.class);
                AnnotationConfigApplicationContext child = child(parent.context())) {
            Orders orders = child.getBean(Orders.class);
            Stock stock = parent.bean(Stock.class);

            long[] tokens = orders.order("a", stock);

            assertThat(tokens[1]).isEqualTo(tokens[0]);
            assertThat(stock.reserve("a", () -> orders.order("a", stock)[0])).isGreaterThan(tokens[0]);
            assertThat(parent.isHeld("article:a")).isFalse();
        }
    }

    @Test
    void parentsBeanIsLockedOnceWhenAChildCallsIt() {
        try (Locked parent = Locked.application(Stock.class);
                AnnotationConfigApplicationContext child = child(parent.context())) {
            long before = parent.locks().statistics().acquired();
            assertThat(child.getBean(Stock.class).reserve("b", () -> parent.isHeld("article:b") ? 1 : 0))
                    .isOne();
            assertThat(parent.locks().statistics().acquired() - before).isOne();
        }
    }

    @Test
    void parentsBeansWithoutAnInterceptorOfTheirOwnAreReported(CapturedOutput output) {
        try (AnnotationConfigApplicationContext parent = new AnnotationConfigApplicationContext(Stock.class);
                AnnotationConfigApplicationContext child = child(parent)) {
            assertThat(child.getBean(Stock.class)).isSameAs(parent.getBean(Stock.class));
            assertOneIsReported(output, "Stock", "parent context");
        }
    }

    @Test
    void parentsBeansWithAnInterceptorAreNotReported(CapturedOutput output) {
        try (Locked parent = Locked.application(Stock.class);
                AnnotationConfigApplicationContext child = child(parent.context())) {
            assertThat(child.isActive()).isTrue();
            assertThat(output.getOut()).doesNotContain("run without their locks");
        }
    }

    @Test
    void childsBeansWithoutAnInterceptorOfTheirOwnAreReportedByTheClosestParent(CapturedOutput output) {
        try (AnnotationConfigApplicationContext root = new AnnotationConfigApplicationContext();
                Locked parent = new Locked(context -> context.setParent(refreshed(root)), Stock.class);
                AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext()) {
            child.setParent(parent.context());
            child.register(Orders.class);
            child.refresh();

            assertOneIsReported(output, "Orders", "child context");
        }
    }

    private static void assertOneIsReported(CapturedOutput output, String... parts) {
        assertThat(output.getOut().lines())
                .filteredOn(line -> line.contains("Its methods run without their locks"))
                .singleElement()
                .asString()
                .contains(parts);
    }

    private static AnnotationConfigApplicationContext refreshed(AnnotationConfigApplicationContext root) {
        root.registerBean("locks", LockClient.class, FreeLocks::client);
        root.register(LockInterceptionConfiguration.class);
        root.refresh();
        return root;
    }

    private static AnnotationConfigApplicationContext child(ApplicationContext parent) {
        AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext();
        child.setParent(parent);
        child.register(LockInterceptionConfiguration.class, Orders.class);
        child.refresh();
        return child;
    }

    static class Stock {

        @DistributedLock(name = "article", key = "#article")
        public long reserve(String article, LongSupplier body) {
            return body.getAsLong();
        }
    }

    static class Orders {

        @DistributedLock(name = "article", key = "#article")
        public long[] order(String article, Stock stock) {
            return new long[] {
                LockContext.current().fencingToken(),
                stock.reserve(article, () -> LockContext.current().fencingToken())
            };
        }
    }
}
