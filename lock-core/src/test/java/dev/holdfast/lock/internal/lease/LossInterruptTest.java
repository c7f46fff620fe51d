package dev.holdfast.lock.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The interrupt of a lost lease's holder reaches the work under the lock, and nothing after it. */
@Timeout(Await.TEST_SECONDS)
class LossInterruptTest {

    private static final Duration LEASE = Duration.ofSeconds(1);

    private final VirtualHolds holds = new VirtualHolds();

    @AfterEach
    void close() {
        holds.close();
    }

    private void lose() {
        holds.cut = true;
        holds.time.advance(LEASE);
        holds.cut = false;
    }

    @Test
    void holderThatLeavesWhileItsInterruptIsUnderWayWaitsForIt() throws Exception {
        CountDownLatch underWay = new CountDownLatch(1);
        CountDownLatch left = new CountDownLatch(1);
        Holder holder = new Holder(underWay, left) {
            @Override
            public void interrupt() {
                underWay.countDown();
                // A holder that does not wait has left by then; one that does costs this time.
                awaitUninterruptibly(left, 200);
                super.interrupt();
            }
        };
        holder.start(holds);

        lose();
        holder.otherWork.countDown();

        assertThat(holder.reported.get()).isInstanceOf(LeaseLostException.class);
        assertThat(holder.otherWorkWasHit.get()).isFalse();
    }

    @Test
    void interruptComesBeforeAnybodyHearsOfTheLoss() throws Exception {
        CompletableFuture<Integer> heardBefore = new CompletableFuture<>();
        CountDownLatch leaves = new CountDownLatch(1);
        Holder holder = new Holder(leaves, new CountDownLatch(1)) {
            @Override
            public void interrupt() {
                heardBefore.complete(holds.losses.size());
                super.interrupt();
            }
        };
        holder.start(holds);

        lose();
        leaves.countDown();
        holder.otherWork.countDown();

        assertThat(heardBefore.get()).isZero();
        assertThat(holds.losses).hasSize(1);
        assertThat(holder.otherWorkWasHit.get()).isFalse();
    }

    @Test
    void interruptOfSomebodyElseIsKept() throws Exception {
        CountDownLatch leaves = new CountDownLatch(1);
        Holder holder = new Holder(leaves, new CountDownLatch(1));
        holder.start(holds);
        holder.interrupt();

        lose();
        leaves.countDown();

        assertThat(holder.reported.get()).isInstanceOf(LeaseLostException.class);
        assertThat(holder.otherWorkWasHit.get()).isTrue();
    }

    private static void awaitUninterruptibly(CountDownLatch latch, long millis) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (latch.getCount() > 0 && System.nanoTime() - end < 0) {
            Thread.yield();
        }
    }

    /** Works under a lease until told to leave, releases the lease, and then does other work that blocks. */
    private static class Holder extends Thread {

        private final CountDownLatch leaves;
        private final CountDownLatch left;
        private final CountDownLatch otherWork = new CountDownLatch(1);
        private final CompletableFuture<Throwable> reported = new CompletableFuture<>();
        private final CompletableFuture<Boolean> otherWorkWasHit = new CompletableFuture<>();
        private HeldLease lease;

        Holder(CountDownLatch leaves, CountDownLatch left) {
            this.leaves = leaves;
            this.left = left;
        }

        void start(VirtualHolds holds) {
            lease = holds.hold(VirtualHolds.boundTo(this, LEASE, true));
            start();
        }

        @Override
        public void run() {
            awaitUninterruptibly(leaves, 30_000);
            reported.complete(catchThrowable(lease::close));
            left.countDown();
            try {
                otherWork.await();
                otherWorkWasHit.complete(false);
            } catch (InterruptedException e) {
                otherWorkWasHit.complete(true);
            }
        }
    }
}
