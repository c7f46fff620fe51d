package dev.holdfast.lock.spring.job;

import static dev.holdfast.lock.spring.fixture.StartUp.assertFine;
import static dev.holdfast.lock.spring.fixture.StartUp.assertRefused;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.OnBusy;
import dev.holdfast.lock.spring.OncePerTick;
import dev.holdfast.lock.spring.RunOnce;
import jakarta.annotation.PostConstruct;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Scheduled;

/** {@code @RunOnce} that could not tell deployments apart, or whose runs would count for others, fails startup. */
class RunOnceDeclarationTest {

    @Test
    void perThatIsTheSameForAllDeploymentsIsRefused() {
        assertRefused(Empty.class, "Empty.run()", "'per = ' is empty", "per = \"${git.commit.id}\"");
        assertRefused(EmptyPlaceholder.class, "'per = ${no.such.property:}' is empty");
        assertRefused(Unresolved.class, "'per = ${no.such.property}' cannot be resolved", "Define the property");
        assertRefused(NotFiltered.class, "'per' is '@git.commit.id@', which the build has not replaced");
        assertRefused(Blank.class, "'per' is 'a b'", "at most 100 bytes without blanks");
    }

    static class Empty {
        @RunOnce(name = "migrate", per = "")
        public void run() {}
    }

    static class EmptyPlaceholder {
        @RunOnce(name = "migrate", per = "${no.such.property:}")
        public void run() {}
    }

    static class Unresolved {
        @RunOnce(name = "migrate", per = "${no.such.property}")
        public void run() {}
    }

    static class NotFiltered {
        @RunOnce(name = "migrate", per = "@git.commit.id@")
        public void run() {}
    }

    static class Blank {
        @RunOnce(name = "migrate", per = "a b")
        public void run() {}
    }

    @Test
    void runThatWouldCountForAnotherMethodIsRefused() {
        assertRefused(
                SameName.class, "'@RunOnce' needs a name of its own", "'migrate'", "which would count as its run");
        assertRefused(JobOfTheSameName.class, "needs a name of its own");
    }

    static class SameName {
        @RunOnce(name = "migrate", per = "1")
        public void first() {}

        @RunOnce(name = "migrate", per = "1")
        public void second() {}
    }

    static class JobOfTheSameName {
        @RunOnce(name = "migrate", per = "1")
        public void first() {}

        @Scheduled(fixedRate = 1000)
        @OncePerTick("migrate")
        public void job() {}
    }

    @Test
    void methodsThatCannotBeSkippedOrAreNotInterceptedAreRefused() {
        assertRefused(Counted.class, "a skipped call has nothing to return as int");
        assertRefused(MakesCallback.class, "past the proxy", "Move the work to an ApplicationRunner");
        assertRefused(TwoLocks.class, "'@RunOnce' does not go with other locks");
    }

    static class Counted {
        @RunOnce(name = "migrate", per = "1")
        public int run() {
            return 1;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class MakesCallback {
        @Bean
        static Callback callback() {
            return new Callback();
        }
    }

    static class Callback {
        @PostConstruct
        @RunOnce(name = "migrate", per = "1")
        public void run() {}
    }

    static class TwoLocks {
        @RunOnce(name = "migrate", per = "1")
        @DistributedLock(name = "other")
        public void run() {}
    }

    @Test
    void othersAreFine() {
        assertFine(Fine.class);
    }

    static class Fine {
        @RunOnce(name = "migrate", per = "${no.such.property:4f3c2a1}")
        public void run() {}

        @DistributedLock(name = "migrate")
        public void byHand() {}

        @RunOnce(name = "warm-up", per = "1", waitTime = "0s", onBusy = OnBusy.SKIP)
        public void othersGoOnAtOnce() {}
    }
}
