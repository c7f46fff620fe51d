package dev.holdfast.lock.simulation;

import dev.holdfast.lock.internal.connection.RedisFailure;
import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.internal.protocol.Scripts;
import dev.holdfast.lock.simulation.wire.Resp;
import dev.holdfast.lock.test.memory.CommandException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A command as a server receives it.
 *
 * @param words its name and its arguments
 * @param call the call that sent it; null if nobody waits for it with a timeout
 */
record WireCommand(List<String> words, WireChecks.@Nullable Call call) {

    private static final Map<String, Script> BY_SHA = new HashMap<>();
    private static final Map<String, Script> BY_TEXT = new HashMap<>();
    private static final String NO_SCRIPT = "NOSCRIPT No matching script. Please use EVAL.";

    static {
        Scripts.digests().keySet().forEach(name -> {
            Script script = Script.load(Scripts.class, name);
            BY_SHA.put(script.sha(), script);
            BY_TEXT.put(script.text(), script);
        });
    }

    boolean is(String name) {
        return words.get(0).equals(name);
    }

    boolean isScript() {
        return is("EVALSHA") || is("EVAL");
    }

    /** Returns whether the server would refuse the command because it does not know the script. */
    boolean isUnknownTo(SimulatedServer server) {
        if (!is("EVALSHA")) {
            return false;
        }
        Script script = BY_SHA.get(words.get(1));
        return script == null || !server.knows(script);
    }

    /** Executes the command. Returns the bytes of the answer. */
    byte[] executeAt(SimulatedServer server) {
        try {
            if (isScript()) {
                return runAt(server);
            }
            return switch (words.get(0)) {
                case "PING" -> Resp.answer("PONG");
                case "INFO" -> Resp.answer("# Server\r\nredis_mode:standalone\r\n");
                default ->
                    Resp.answer(server.command(
                            words.get(0).toLowerCase(Locale.ROOT), List.copyOf(words.subList(1, words.size()))));
            };
        } catch (RedisFailure | CommandException refused) {
            return Resp.error(String.valueOf(refused.getMessage()));
        }
    }

    private byte[] runAt(SimulatedServer server) {
        if (isUnknownTo(server)) {
            return Resp.error(NO_SCRIPT);
        }
        Script script = is("EVALSHA") ? BY_SHA.get(words.get(1)) : BY_TEXT.get(words.get(1));
        if (script == null) {
            return Resp.error("ERR a script that the product does not have");
        }
        server.learn(script);
        int keys = Integer.parseInt(words.get(2));
        return Resp.answer(server.run(
                script, List.copyOf(words.subList(3, 3 + keys)), List.copyOf(words.subList(3 + keys, words.size()))));
    }
}
