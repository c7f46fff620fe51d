package dev.holdfast.lock.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class MailboxTest {

    private final Mailbox mailbox = new Mailbox();
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
}
