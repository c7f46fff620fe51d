package dev.holdfast.lock.proxy;

import dev.holdfast.lock.proxy.FaultProxy.Direction;
import dev.holdfast.lock.proxy.FaultProxy.Then;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What is wrong with a proxy's network at the moment. */
final class Faults {

    private final Map<Direction, Strike> holes = new EnumMap<>(Direction.class);
    private final Map<Direction, Strike> dams = new EnumMap<>(Direction.class);
    private final Map<Pipe, Strike> dammedPipes = new HashMap<>();
    private final List<ReplyRule> replyRules = new CopyOnWriteArrayList<>();
    private final List<PushRule> pushRules = new CopyOnWriteArrayList<>();
    private volatile Latency latency = Latency.NONE;

    synchronized void swallow(Direction direction, Strike strike) {
        holes.put(direction, strike);
    }

    synchronized void hold(Direction direction, Strike strike) {
        dams.put(direction, strike);
    }

    synchronized void hold(Pipe pipe, Strike strike) {
        dammedPipes.put(pipe, strike);
    }

    void delay(Duration time, Strike strike) {
        latency = new Latency(time.toNanos(), strike);
    }

    void add(ReplyRule rule) {
        replyRules.add(rule);
    }

    void add(PushRule rule) {
        pushRules.add(rule);
    }

    synchronized void clear() {
        holes.clear();
        dams.clear();
        dammedPipes.clear();
        replyRules.clear();
        pushRules.clear();
        latency = Latency.NONE;
        notifyAll();
    }

    /** The black hole that bytes of this direction fall into. */
    synchronized @Nullable Strike hole(Direction direction) {
        return holes.get(direction);
    }

    /** Keeps the calling thread as long as the pipe is dammed up. */
    synchronized void passDam(Pipe pipe) throws InterruptedException {
        Strike last = null;
        for (Strike dam = dam(pipe); dam != null; dam = dam(pipe)) {
            if (dam != last) {
                dam.struck();
                last = dam;
            }
            wait();
        }
    }

    private @Nullable Strike dam(Pipe pipe) {
        Strike own = dammedPipes.get(pipe);
        return own == null ? dams.get(pipe.direction()) : own;
    }

    Latency latency() {
        return latency;
    }

    /** The rule that the reply to this request is under; a rule takes one request only. */
    @Nullable
    ReplyRule ruleFor(RespFrame request) {
        for (ReplyRule rule : replyRules) {
            if (rule.requests().test(request) && rule.taken().compareAndSet(false, true)) {
                return rule;
            }
        }
        return null;
    }

    /** Whether the push is dropped. */
    boolean drops(RespFrame push) {
        for (PushRule rule : pushRules) {
            if (rule.pushes().test(push)) {
                rule.strike().struck();
                return true;
            }
        }
        return false;
    }

    record ReplyRule(Predicate<RespFrame> requests, Then then, Strike strike, AtomicBoolean taken) {}

    record PushRule(Predicate<RespFrame> pushes, Strike strike) {}

    record Latency(long nanos, @Nullable Strike strike) {
        static final Latency NONE = new Latency(0, null);
    }
}
