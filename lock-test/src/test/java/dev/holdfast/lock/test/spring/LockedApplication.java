package dev.holdfast.lock.test.spring;

import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.OnBusy;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.stereotype.Component;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** An application as users have it, with each form of a locked method. */
@SpringBootApplication
class LockedApplication {

    /** Something that the services call, and that tests replace. */
    @Component
    static class Gateway {
        String charge(String order) {
            return "charged " + order;
        }
    }

    @Service
    static class Payments {

        private final Gateway gateway;

        Payments(Gateway gateway) {
            this.gateway = gateway;
        }

        @DistributedLock(name = "order", key = "#order", waitTime = "5s")
        @Transactional
        public String pay(String order) {
            return gateway.charge(order);
        }

        @DistributedLock(name = "nightly", onBusy = OnBusy.SKIP, minHold = "30s")
        public String report() {
            return gateway.charge("report");
        }

        @DistributedLock(name = "guarded", waitTime = "2s", fallback = "later")
        public String guarded() {
            return gateway.charge("guarded");
        }

        String later(LockNotAcquiredException busy) {
            return "later";
        }

        @DistributedLock(name = "stage", waitTime = "5s")
        public CompletionStage<String> stage() {
            return CompletableFuture.supplyAsync(() -> gateway.charge("stage"));
        }

        @DistributedLock(name = "mono", waitTime = "5s")
        public Mono<String> mono() {
            return Mono.fromCallable(() -> gateway.charge("mono"));
        }

        @DistributedLock(name = "render", permits = "2", waitTime = "5s", releaseAfterTransaction = false)
        public String render() {
            return gateway.charge("render");
        }

        public String unlocked() {
            return gateway.charge("unlocked");
        }
    }

    @RestController
    static class Orders {

        @DistributedLock(name = "web")
        @PostMapping("/orders")
        public String order() {
            return "ordered";
        }
    }
}
