package dev.holdfast.lock.internal.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class SerialQueueTest {

    private final List<Runnable> passedOn = new ArrayList<>();
    private final SerialQueue mailbox = new SerialQueue(passedOn::add);
    private final List<String> ran = new ArrayList<>();

    @Test
    void letterPostedByALetterRunsBehindIt() {
        mailbox.post(() -> {
            mailbox.post(() -> ran.add("inner"));
            ran.add("outer");
        });

        assertThat(ran).containsExactly("outer", "inner");
    }

    @Test
    void letterThatThrowsDoesNotStopThoseBehindIt() {
        mailbox.post(() -> {
            mailbox.post(() -> ran.add("behind"));
            throw new StackOverflowError("the poster's stack was nearly full");
        });
        mailbox.post(() -> ran.add("later"));

        assertThat(ran).containsExactly("behind", "later");
    }

    /** Posts so many letters while one of them is being run, as callers on other threads would. */
    private void postAtOnce(SerialQueue box, int letters) {
        box.post(() -> {
            for (int i = 1; i < letters; i++) {
                box.post(() -> ran.add("other"));
            }
            ran.add("own");
        });
    }

    @Test
    void callDoesNotDoTheWorkOfAllOthers() {
        postAtOnce(mailbox, 10 * SerialQueue.MOST_AT_ONCE);

        assertThat(ran).hasSize(SerialQueue.MOST_AT_ONCE);
        assertThat(passedOn).hasSize(1);
    }

    @Test
    void ownThreadsGoOnInOrderAndTakeTurnsToo() {
        postAtOnce(mailbox, 3 * SerialQueue.MOST_AT_ONCE);
        mailbox.post(() -> ran.add("last"));

        for (int i = 0; i < passedOn.size(); i++) {
            passedOn.get(i).run();
        }

        assertThat(passedOn).hasSize(3);
        assertThat(ran).hasSize(3 * SerialQueue.MOST_AT_ONCE + 1).endsWith("last");
        mailbox.post(() -> ran.add("on the poster's own thread again"));
        assertThat(ran).endsWith("on the poster's own thread again");
    }

    @Test
    void callDoesTheWorkWhereThereAreNoOtherThreadsAnyMore() {
        SerialQueue closing = new SerialQueue(task -> {
            throw new RejectedExecutionException("closed");
        });

        postAtOnce(closing, 10 * SerialQueue.MOST_AT_ONCE);

        assertThat(ran).hasSize(10 * SerialQueue.MOST_AT_ONCE);
    }
}
