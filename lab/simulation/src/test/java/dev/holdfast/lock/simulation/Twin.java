package dev.holdfast.lock.simulation;

import dev.holdfast.lock.internal.connection.RedisFailure;
import dev.holdfast.lock.simulation.SimulatedServer.Execution;
import dev.holdfast.lock.test.memory.MemoryRedis;
import dev.holdfast.lock.test.memory.Messages;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Runs scripts on a copy of a server's data, and reports what each one did, to compare them. */
final class Twin implements Messages {

    private final SimulatedServer server;
    private final MemoryRedis redis;
    private final List<String> published = new ArrayList<>();

    /** Creates one when the simulation begins. */
    Twin(SimulatedServer server) {
        this.server = server;
        this.redis = server.twin(this);
    }

    interface Run {
        List<Object> on(Execution redis);
    }

    /** What a script did: its answer or failure, its messages, and all keys after it. */
    record Outcome(String answer, String messages, String keys) {

        /** Returns in what it differs from another one, in a word or two; empty if it does not. */
        String differsIn(Outcome other) {
            return !keys.equals(other.keys)
                    ? "keys"
                    : !messages.equals(other.messages) ? "messages" : answer.equals(other.answer) ? "" : "answer";
        }

        @Override
        public String toString() {
            return answer + " " + messages + " " + keys;
        }
    }

    /** Runs on the given data. */
    Outcome run(Map<String, Object> data, Run run) {
        redis.restore(data);
        published.clear();
        Marks.begin();
        String answer;
        try {
            answer = run.on(redis::run).toString();
        } catch (RedisFailure | AssertionError refused) {
            answer = String.valueOf(refused.getMessage());
        }
        return new Outcome(
                answer,
                published.toString(),
                RealRedis.state(redis.keys(), redis::command).toString());
    }

    @Override
    public long publish(String channel, String message) {
        published.add(channel + ": " + message);
        return server.listening(channel);
    }

    @Override
    public long listeners(String channel) {
        return server.listening(channel);
    }
}
