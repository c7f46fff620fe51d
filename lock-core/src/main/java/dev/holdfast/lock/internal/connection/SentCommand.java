package dev.holdfast.lock.internal.connection;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandWrapper;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * A command on its way to one node. Tells the {@link PendingCommand} to which it belongs how it ended, but only after {@link #sent()}: a command may
 * fail while it is being sent, when its sender and Lettuce still hold locks. This is one object, where a future of Lettuce and the callback to it
 * are four.
 */
final class SentCommand extends CommandWrapper<String, String, List<Object>> {

    private static final AtomicIntegerFieldUpdater<SentCommand> STEPS =
            AtomicIntegerFieldUpdater.newUpdater(SentCommand.class, "steps");

    private static final int ALL_STEPS = 2;

    private final Commands sender;
    final PendingCommand<?> call;
    final StatefulConnection<String, String> node;
    final boolean asText;
    final byte redirections;

    /** Counts the end of the sending and the end of the command, which may come in any order. */
    @SuppressWarnings("unused") // Only by its updater.
    private volatile int steps;

    private @Nullable Throwable failure;

    /**
     * Creates a command that is about to be sent.
     *
     * @param asText whether it sends a script as text instead of its digest
     * @param redirections how often the command has been redirected
     */
    SentCommand(
            Commands sender,
            PendingCommand<?> call,
            StatefulConnection<String, String> node,
            boolean asText,
            int redirections) {
        super(new Command<>(call.type(asText), new ScriptOutput(), call.arguments(asText)));
        this.sender = sender;
        this.call = call;
        this.node = node;
        this.asText = asText;
        this.redirections = (byte) redirections;
    }

    /** Called when the sending has ended. */
    void sent() {
        step();
    }

    @Override
    protected void doOnComplete() {
        if (getOutput().hasError()) {
            failure = new RedisCommandExecutionException(getOutput().getError());
        }
        step();
    }

    @Override
    protected void doOnError(Throwable thrown) {
        failure = thrown;
        step();
    }

    private void step() {
        if (STEPS.incrementAndGet(this) == ALL_STEPS) {
            sender.ended(this, failure);
        }
    }
}
