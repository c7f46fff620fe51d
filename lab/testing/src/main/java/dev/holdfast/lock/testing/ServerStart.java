package dev.holdfast.lock.testing;

import dev.holdfast.lock.proxy.FreePorts;
import io.lettuce.core.RedisURI;
import java.util.ArrayList;
import java.util.List;

/** Starts servers: draws a port, writes the configuration, and draws again if somebody took the port meanwhile. */
final class ServerStart {

    private static final int ATTEMPTS = 5;

    private static final String PASSWORD = "requirepass ";

    private ServerStart() {}

    static RedisServer plain(List<String> confLines) {
        return start((port, folder) -> confLines, List.of());
    }

    static RedisServer start(Configuration configuration, List<String> options) {
        return start(RedisSource.decided().launcherOrFail(), configuration, options);
    }

    static RedisServer start(Launcher launcher, Configuration configuration, List<String> options) {
        for (int attempt = 1; ; attempt++) {
            int port = FreePorts.next();
            ServerFolder folder = ServerFolder.create();
            List<String> lines = configuration.lines(port, folder);
            List<String> arguments = new ArrayList<>();
            arguments.add(folder.configuration(complete(port, folder, lines)).toString());
            arguments.addAll(options);
            ServerLife life = new ServerLife(launcher, folder, port, arguments);
            try {
                life.start();
                return new RedisServer(uri(port, lines), life);
            } catch (ServerLife.DiedAtStart e) {
                life.close();
                if (!e.portTaken() || attempt == ATTEMPTS) {
                    throw new IllegalStateException("Could not start " + launcher.origin() + ": " + e.getMessage(), e);
                }
            } catch (RuntimeException e) {
                life.close();
                throw e;
            }
        }
    }

    /** Redis takes the last line that sets a value: the test's lines come after the defaults. */
    private static List<String> complete(int port, ServerFolder folder, List<String> lines) {
        List<String> all = new ArrayList<>(List.of(
                "port " + port,
                "bind 127.0.0.1",
                "dir " + folder.path(),
                "save \"\"",
                "appendonly no",
                "daemonize no",
                "logfile \"\""));
        all.addAll(lines);
        return all;
    }

    private static RedisURI uri(int port, List<String> lines) {
        RedisURI uri = RedisURI.create("127.0.0.1", port);
        lines.stream()
                .filter(line -> line.startsWith(PASSWORD))
                .forEach(line -> uri.setCredentialsProvider(io.lettuce.core.RedisCredentialsProvider.from(
                        () -> io.lettuce.core.RedisCredentials.just(null, line.substring(PASSWORD.length())))));
        return uri;
    }

    /** The lines of a redis.conf that may depend on the port that was drawn and on files in the server's folder. */
    interface Configuration {
        List<String> lines(int port, ServerFolder folder);
    }
}
