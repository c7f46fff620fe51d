package dev.holdfast.lock.redis;

import dev.holdfast.lock.testing.RedisServer;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The user of {@code docs/acl.conf}. */
final class LeastRights {

    static final String USER = "holdfast";
    static final String PASSWORD = "change-me";

    private LeastRights() {}

    /** The one line of the file that is not a comment. */
    static String line() {
        try {
            List<String> lines = Files.readAllLines(Path.of("..", "docs", "acl.conf")).stream()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .toList();
            if (lines.size() != 1) {
                throw new IllegalStateException("docs/acl.conf must have one user line, has " + lines);
            }
            return lines.get(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What the line grants, rule by rule. */
    static List<String> rules() {
        List<String> words = List.of(line().split(" +"));
        return words.subList(2, words.size());
    }

    /** Makes the user anew on a server that runs, with all rights of the file but one. */
    static void grant(RedisServer server, String user, String without) {
        CommandArgs<String, String> args =
                new CommandArgs<>(StringCodec.UTF8).add("SETUSER").add(user).add("reset");
        rules().stream().filter(rule -> !rule.equals(without)).forEach(args::add);
        server.cli().dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), args);
    }
}
