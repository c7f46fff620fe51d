package dev.holdfast.lock.waiting;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs what is posted one after the other, on whichever thread posts first. What lives behind a mailbox needs no lock and can call out
 * freely: a call that comes back is posted behind the present one. Nothing posted may block.
 */
final class Mailbox {

    private final ConcurrentLinkedQueue<Runnable> letters = new ConcurrentLinkedQueue<>();
    private final AtomicInteger unread = new AtomicInteger();

    void post(Runnable letter) {
        letters.add(letter);
        if (unread.getAndIncrement() > 0) {
            return;
        }
        do {
            letters.remove().run();
        } while (unread.decrementAndGet() > 0);
    }
}
