package dev.holdfast.lock.simulation;

import java.util.List;

/** Faults of the connections, from a command's sending to its answer, and of the subscriptions. They are hunted in plans on a simulated wire. */
final class WireMutants {

    private WireMutants() {}

    private static final String CONNECTION = "internal/connection/";
    private static final String PENDING = CONNECTION + "PendingCommand.java";
    private static final String TIMEOUTS = CONNECTION + "CommandTimeouts.java";
    private static final String COMMANDS = CONNECTION + "Commands.java";
    private static final String RECONNECTING = CONNECTION + "ReconnectingConnection.java";
    private static final String SUBSCRIPTIONS = CONNECTION + "Subscriptions.java";
    private static final String GATEWAY = CONNECTION + "LettuceGateway.java";

    static final List<Mutant> ALL = List.of(
            new Mutant(
                    "a script that is sent again as text keeps its first moment of sending",
                    PENDING,
                    "        sentAt = ticker.now();",
                    "        sentAt = sentAt == 0 ? ticker.now() : sentAt;"),
            new Mutant(
                    "a lease counts from its answer",
                    PENDING,
                    "new ScriptResult(answer, sentAt)",
                    "new ScriptResult(answer, ticker.now())"),
            new Mutant(
                    "a script is sent as text after its wait has ended",
                    PENDING,
                    "        if (isDone()) {\n            return;\n        }\n        sent = true;",
                    "        sent = true;"),
            new Mutant(
                    "an answer is delivered twice",
                    PENDING,
                    "            T result = read(answer);",
                    "            read(answer);\n            T result = read(answer);"),
            new Mutant("an answer after the timeout is dropped", PENDING, "                late.accept(result);\n", ""),
            new Mutant(
                    "a command that was sent counts as not sent at its timeout",
                    PENDING,
                    "RedisFailure.timedOut(sent, limit)",
                    "RedisFailure.timedOut(false, limit)"),
            new Mutant(
                    "a command does not end with its connection",
                    COMMANDS,
                    "            failure = thrown;\n            step();",
                    "            failure = thrown;"),
            new Mutant("a refusal is read as an answer", COMMANDS, "if (getOutput().hasError()) {", "if (false) {"),
            new Mutant("a timeout does not end the command", TIMEOUTS, "oldest.expire(", "String.valueOf("),
            new Mutant(
                    "a command ends before its timeout",
                    TIMEOUTS,
                    "call.expiresAt = ticker.now() + limit.toNanos();",
                    "call.expiresAt = ticker.now() + limit.toNanos() / 2;"),
            new Mutant(
                    "a command whose connection ends is sent over it again",
                    COMMANDS,
                    "RedisFailure.isRedirection(failure) && ",
                    "(RedisFailure.isRedirection(failure) || String.valueOf(failure.getMessage()).contains(\"disconnected\")) && "),
            new Mutant(
                    "a connection without answers is kept",
                    PENDING,
                    "(failure.kind() == Kind.NO_ANSWER && !written)",
                    "false"),
            new Mutant("too few confirmations are enough", GATEWAY, "if (confirmations >= replicas) {", "if (true) {"),
            new Mutant(
                    "a connection that ends is not replaced",
                    RECONNECTING,
                    "            current = null;\n        }\n        connect();",
                    "            current = null;\n        }"),
            new Mutant(
                    "a connection that was replaced stays open",
                    RECONNECTING,
                    "        timer.after(settings.commandTimeout().toNanos(), () -> discard(replaced));\n",
                    ""),
            new Mutant(
                    "callers do not wait for the first attempt to connect",
                    RECONNECTING,
                    "if (attempt != null && lastProblem == null) {",
                    "if (false) {"),
            new Mutant(
                    "attempts to connect have no pause between them",
                    RECONNECTING,
                    "timer.after(settings.reconnectDelay().toNanos(), () -> pauseAfter.complete(null));",
                    "pauseAfter.complete(null);"),
            new Mutant(
                    "an attempt to connect that does not end is not given up",
                    RECONNECTING,
                    "timer.after(limit.toNanos(), () -> giveUp",
                    "timer.after(1_000 * limit.toNanos(), () -> giveUp"),
            new Mutant(
                    "listeners are not told that messages may be missing",
                    SUBSCRIPTIONS,
                    "            if (!ready.complete(null) && over != before) {",
                    "            if (!ready.complete(null) && before != null) {"),
            new Mutant(
                    "a message does not reach its place",
                    SUBSCRIPTIONS,
                    "            if (place != null) {\n                place.accept",
                    "            if (false) {\n                place.accept"),
            new Mutant(
                    "a subscription is not renewed on the next connection",
                    SUBSCRIPTIONS,
                    "                .forEach(name -> listen(connection, name, 0));\n",
                    "                .close();\n"),
            new Mutant(
                    "a message is dropped while a channel is subscribed to again",
                    SUBSCRIPTIONS,
                    "        if (entry != null) {\n            entry.heard(message);",
                    "        if (entry != null && links.isCurrent(entry.connection.get())) {\n            entry.heard(message);",
                    Focus.CUTS),
            new Mutant(
                    "a closing client leaves its connection for messages", GATEWAY, "        channels.close();\n", ""));
}
