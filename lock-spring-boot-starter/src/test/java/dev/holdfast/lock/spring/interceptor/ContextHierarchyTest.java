package dev.holdfast.lock.spring.interceptor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.LockContext;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/** A context with a parent: each has an interceptor, and both use the parent's client. */
class ContextHierarchyTest {

    @Test
    void childsCallOfAParentsMethodWithTheSameLockReenters() {
        try (Locked parent = Locked.application(Stock.class);
                AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext()) {
            child.setParent(parent.context());
            child.register(LockInterceptionConfiguration.class, Orders.class);
            child.refresh();
            Orders orders = child.getBean(Orders.class);
            Stock stock = parent.bean(Stock.class);

            long[] tokens = orders.order("a", stock);

            assertThat(tokens[1]).isEqualTo(tokens[0]);
            assertThat(stock.reserve("a", () -> orders.order("a", stock)[0])).isGreaterThan(tokens[0]);
            assertThat(parent.isHeld("article:a")).isFalse();
        }
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
