package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.LeaseGuard;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.internal.background.CallbackThreads;
import dev.holdfast.lock.internal.background.Failures;
import dev.holdfast.lock.internal.connection.RedisFailure;
import dev.holdfast.lock.internal.connection.RedisFailure.Kind;
import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import dev.holdfast.lock.internal.protocol.LockProtocol;
import dev.holdfast.lock.internal.protocol.RedisFailures;
import dev.holdfast.lock.internal.protocol.Scripts;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Sends scripts that Redis runs only while a lease has its locks. */
record Guard(HeldLease holder, LockProtocol protocol, ClientSettings settings) implements LeaseGuard {

    private static final String NO_END = "0";

    @Override
    public void set(String key, String value) {
        join(set(key, value, NO_END));
    }

    @Override
    public void set(String key, String value, Duration keep) {
        join(set(key, value, millis(keep)));
    }

    @Override
    public CompletionStage<Void> setAsync(String key, String value, Duration keep) {
        return CallbackThreads.view(set(key, value, millis(keep)).thenAccept(answer -> {}), settings.callbacks());
    }

    private CompletableFuture<List<Object>> set(String key, String value, String millis) {
        return send(Scripts.GUARDED_SET.get(), List.of(key), List.of(value, millis));
    }

    private static String millis(Duration keep) {
        long millis = TimeUnit.NANOSECONDS.toMillis(LeaseTerms.nanos("keep", keep));
        if (millis < 1) {
            throw new IllegalArgumentException("'keep' must be at least PT0.001S, was " + keep);
        }
        return Long.toString(millis);
    }

    @Override
    public List<Object> run(String script, List<String> keys, String... args) {
        return join(send(Scripts.guarded(script), keys, List.of(args)));
    }

    @Override
    public CompletionStage<List<Object>> runAsync(String script, List<String> keys, String... args) {
        return CallbackThreads.view(send(Scripts.guarded(script), keys, List.of(args)), settings.callbacks());
    }

    @Override
    public Guarded guarded(String script, List<String> keys) {
        protocol.checkGuarded(holder.grant(), keys);
        holder.grant().write();
        holder.assertHeld();
        Script sent = Scripts.guarded(script);
        return new Guarded(
                sent.text(),
                sent.sha(),
                protocol.guardedKeys(holder.grant(), keys),
                protocol.guardArguments(holder.grant()));
    }

    CompletableFuture<List<Object>> send(Script script, List<String> keys, List<String> args) {
        protocol.checkGuarded(holder.grant(), keys);
        // In this order: either the release finds that this grant must not be handed over, or this call finds the
        // release.
        holder.grant().write();
        if (!holder.isHeld()) {
            return CompletableFuture.supplyAsync(this::notHeld, Runnable::run);
        }
        return protocol.runGuarded(holder.grant(), script, keys, args)
                .handle((answer, failure) -> failure == null
                        ? CompletableFuture.completedFuture(answer)
                        : isRefusal(failure)
                                ? sendAgain(script, keys, args)
                                : CompletableFuture.<List<Object>>failedFuture(failed(script, failure)))
                .thenCompose(outcome -> outcome);
    }

    /** Called when Redis has refused the holder. With a grace, the holder may have its lock back after a failover when it asks for it. */
    private CompletableFuture<List<Object>> sendAgain(Script script, List<String> keys, List<String> args) {
        return holder.confirm()
                .handle((confirmed, failure) -> {
                    holder.assertHeld();
                    return failure == null
                            ? protocol.runGuarded(holder.grant(), script, keys, args)
                            : CompletableFuture.<List<Object>>failedFuture(failure);
                })
                .thenCompose(outcome -> outcome)
                .handle((answer, failure) -> {
                    if (failure == null) {
                        return answer;
                    }
                    if (isRefusal(failure)) {
                        holder.gone();
                        holder.assertHeld();
                    }
                    throw failed(script, failure);
                });
    }

    private List<Object> notHeld() {
        holder.assertHeld();
        throw RedisFailures.unavailable(holder.lockName(), RedisFailure.tooLate("the lease was about to end"));
    }

    private static boolean isRefusal(@Nullable Throwable failure) {
        return Failures.unwrapped(failure) instanceof RedisFailure refused
                && refused.kind() == Kind.REFUSED
                && String.valueOf(refused.getMessage()).contains(REFUSAL);
    }

    private RuntimeException failed(Script script, Throwable thrown) {
        Throwable failure = Failures.unwrapped(thrown);
        if (failure instanceof RedisFailure refused && !refused.isTransient() && Scripts.isOfUser(script)) {
            return new IllegalStateException(
                    "A guarded write under lock '" + LogText.escape(holder.lockName()) + "' failed: "
                            + refused.getMessage(),
                    refused);
        }
        return failure instanceof RuntimeException other && !(failure instanceof RedisFailure)
                ? other
                : RedisFailures.unavailable(holder.lockName(), failure);
    }

    private <T> T join(CompletableFuture<T> answer) {
        return settings.background().join(answer, failure -> RedisFailures.ofAnswer(holder.lockName(), failure));
    }
}
