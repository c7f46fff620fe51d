package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.internal.waiting.Answer.Busy;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** Makes sure that a refused room hears of releases. Used behind the room's {@link Mailbox}. */
final class Listening {

    private final GrantSource source;
    private final Mailbox mailbox;
    private final Consumer<Boolean> onAnswer;
    private boolean underWay;
    private boolean refused;

    /**
     * Creates a room's.
     *
     * @param onAnswer receives whether a subscription was confirmed: the release may have come before it
     */
    Listening(GrantSource source, Mailbox mailbox, Consumer<Boolean> onAnswer) {
        this.source = source;
        this.mailbox = mailbox;
        this.onAnswer = onAnswer;
    }

    void begin(Busy refusal) {
        if (underWay || refused) {
            return;
        }
        CompletionStage<Void> ready = source.listen(refusal);
        if (ready != null) {
            underWay = true;
            ready.whenComplete((done, failure) -> mailbox.post(() -> {
                underWay = false;
                refused = failure != null;
                onAnswer.accept(!refused);
            }));
        }
    }
}
