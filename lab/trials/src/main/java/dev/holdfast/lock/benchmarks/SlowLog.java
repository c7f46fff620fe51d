package dev.holdfast.lock.benchmarks;

import dev.holdfast.lock.testing.RedisServer;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The server's slow log, which contains the duration of each command. The newest entry comes first. */
final class SlowLog {

    private static final int ENTRIES = 4096;

    private final RedisCommands<String, String> cli;

    /** Starts to log every command. */
    SlowLog(RedisServer server) {
        this.cli = server.cli();
        cli.configSet("slowlog-max-len", String.valueOf(ENTRIES));
        cli.configSet("slowlog-log-slower-than", "0");
        clear();
    }

    void clear() {
        cli.slowlogReset();
    }

    /** Returns the address of the client that sent the last script. */
    String addressOfLastScript() {
        return entries().stream()
                .filter(Entry::isScript)
                .findFirst()
                .map(Entry::address)
                .orElse("");
    }

    /** Returns the duration, in µs, of the first script that this client sent. Stops logging. */
    double microsOfScript(String address) {
        Optional<Entry> first = entries().stream()
                .filter(Entry::isScript)
                .filter(entry -> entry.address().equals(address))
                .reduce((newer, older) -> older);
        cli.configSet("slowlog-log-slower-than", "-1");
        return first.map(entry -> (double) entry.micros()).orElse(Double.NaN);
    }

    /** Returns the duration, in µs, of each logged script that took at least the given time. Stops logging. */
    List<Double> microsOfLongScripts(long least) {
        List<Double> micros = entries().stream()
                .filter(Entry::isScript)
                .filter(entry -> entry.micros() >= least)
                .map(entry -> (double) entry.micros())
                .toList();
        cli.configSet("slowlog-log-slower-than", "-1");
        return micros;
    }

    private List<Entry> entries() {
        return cli.slowlogGet(ENTRIES).stream().map(Entry::of).toList();
    }

    private record Entry(String command, long micros, String address) {

        /** Creates an entry from its fields: number, time, µs, arguments, address, name. */
        static Entry of(Object entry) {
            List<?> fields = (List<?>) entry;
            String command = String.valueOf(((List<?>) fields.get(3)).get(0));
            return new Entry(command.toLowerCase(Locale.ROOT), (Long) fields.get(2), String.valueOf(fields.get(4)));
        }

        boolean isScript() {
            return command.startsWith("eval");
        }
    }
}
