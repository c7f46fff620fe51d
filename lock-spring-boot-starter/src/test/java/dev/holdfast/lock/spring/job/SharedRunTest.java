package dev.holdfast.lock.spring.job;

import static dev.holdfast.lock.spring.fixture.StartUp.assertFine;
import static dev.holdfast.lock.spring.fixture.StartUp.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.OncePerTick;
import dev.holdfast.lock.spring.RunOnce;
import dev.holdfast.lock.spring.declaration.DeclaredLocks;
import dev.holdfast.lock.spring.fixture.Locked;
import dev.holdfast.lock.spring.fixture.StartUp.Refusal;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Scope;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.util.ClassUtils;

/** Beans that share a method that runs only once: each has a run of its own, or startup is refused. */
class SharedRunTest {

    private static final List<String> RAN = new CopyOnWriteArrayList<>();

    static Stream<Refusal> refusals() {
        return Stream.of(
                refused(InheritedByTwo.class, "'@RunOnce' needs a name of its own", "'migrate'", "{class}"),
                refused(Tenants.class, "'@OncePerTick' needs a name of its own", "'bill'", "#root.target"),
                refused(KeyOfAnArgument.class, "'bill-kind'", "#root.target"),
                refused(Nameless.class, "'{class}'", "has no name"));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void beansThatWouldShareARunAreRefused(Refusal refusal) {
        refusal.check();
    }

    @Import({Customers.class, Orders.class})
    static class InheritedByTwo {}

    abstract static class Migration {
        @RunOnce(name = "migrate", per = "1")
        public void run() {}
    }

    static class Customers extends Migration {}

    static class Orders extends Migration {}

    @Configuration(proxyBeanMethods = false)
    static class Tenants {
        @Bean
        Bill north() {
            return new Bill("north");
        }

        @Bean
        Bill south() {
            return new Bill("south");
        }
    }

    static class Bill {
        private final String tenant;

        Bill(String tenant) {
            this.tenant = tenant;
        }

        Bill() {
            this("proxy");
        }

        @Scheduled(cron = "0 0 0 1 1 *", zone = "UTC")
        @OncePerTick("bill")
        public void run() {
            RAN.add(tenant);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class KeyOfAnArgument {
        @Bean
        KeyedByArgument north() {
            return new KeyedByArgument();
        }

        @Bean
        KeyedByArgument south() {
            return new KeyedByArgument();
        }
    }

    static class KeyedByArgument {
        @Scheduled(cron = "0 0 0 1 1 *", zone = "UTC")
        @OncePerTick(name = "bill-kind", key = "'all'")
        public void run() {}
    }

    @Test
    void beanOfEachClassRunsUnderTheNameOfItsClass() {
        RAN.clear();
        try (Locked application = Locked.application(North.class, South.class)) {
            application.bean(North.class).run();
            application.bean(South.class).run();
            application.bean(South.class).run();
            assertThat(RAN).containsExactly("North", "South");
            assertThat(application.bean(DeclaredLocks.class).names()).containsExactly("bill-North", "bill-South");
        }
    }

    abstract static class OfClass {
        @Scheduled(cron = "0 0 0 1 1 *", zone = "UTC")
        @OncePerTick("bill-{class}")
        public void run() {
            RAN.add(ClassUtils.getUserClass(this).getSimpleName());
        }
    }

    static class North extends OfClass {}

    static class South extends OfClass {}

    @Test
    void beanOfEachTenantRunsUnderTheKeyOfItsTenant() {
        RAN.clear();
        try (Locked application = Locked.application(KeyedTenants.class)) {
            application.context().getBean("north", Keyed.class).run();
            application.context().getBean("south", Keyed.class).run();
            application.context().getBean("south", Keyed.class).run();
            assertThat(RAN).containsExactly("north", "south");
            application.context().getBean("north", Keyed.class).migrate();
            application.context().getBean("south", Keyed.class).migrate();
            application.context().getBean("south", Keyed.class).migrate();
            assertThat(RAN).endsWith("migrated north", "migrated south").hasSize(4);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class KeyedTenants {
        @Bean
        Keyed north() {
            return new Keyed("north");
        }

        @Bean
        Keyed south() {
            return new Keyed("south");
        }
    }

    static class Keyed {
        private final String tenant;

        Keyed(String tenant) {
            this.tenant = tenant;
        }

        Keyed() {
            this("proxy");
        }

        public String tenant() {
            return tenant;
        }

        @RunOnce(name = "migrate-tenant", key = "#root.target.tenant()", per = "1")
        public void migrate() {
            RAN.add("migrated " + tenant);
        }

        @Scheduled(cron = "0 0 0 1 1 *", zone = "UTC")
        @OncePerTick(name = "bill-tenant", key = "#root.target.tenant()")
        public void run() {
            RAN.add(tenant);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Nameless {
        @Bean
        OfClass nameless() {
            return new OfClass() {};
        }
    }

    /** Each object of a prototype is the same bean. A lock that does not run only once may have any number of beans. */
    @Test
    void othersMayShareTheirMethods() {
        assertFine(Prototype.class);
        assertFine(TwoPlain.class);
    }

    @Configuration(proxyBeanMethods = false)
    static class Prototype {
        @Bean
        @Scope("prototype")
        Bill bill() {
            return new Bill("any");
        }

        @Bean
        String usesTwo(ObjectProvider<Bill> bills) {
            return bills.getObject().toString() + bills.getObject();
        }
    }

    abstract static class Work {
        @DistributedLock(name = "work")
        public void run() {}
    }

    static class Plain extends Work {}

    static class AlsoPlain extends Work {}

    @Import({Plain.class, AlsoPlain.class})
    static class TwoPlain {}
}
