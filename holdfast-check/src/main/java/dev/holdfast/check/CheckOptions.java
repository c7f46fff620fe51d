package dev.holdfast.check;

import dev.holdfast.check.CheckStage.Phase;
import io.lettuce.core.RedisURI;
import io.lettuce.core.StaticCredentialsProvider;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The options of a check.
 *
 * @param seconds for how long faults strike, over all phases
 * @param rate how many requests for locks the workers make in a second, at most
 * @param graceSeconds the failover grace of the clients; 0 for none
 * @param library what the workers use
 * @param classPath the reader's jars; empty if the library is in this one
 * @param amongData whether the server may have other data, if another library than Holdfast is checked
 * @param page where the result is written as a page; null for nowhere
 * @param phases what breaks, in this order
 */
record CheckOptions(
        RedisURI address,
        int seconds,
        int rate,
        int graceSeconds,
        CheckedLibrary library,
        String classPath,
        boolean amongData,
        @Nullable Path page,
        List<Phase> phases,
        long seed) {

    static final String USAGE = """
            Usage: java -jar holdfast-check.jar ADDRESS [OPTION …]
                   java -jar holdfast-check.jar judge LOG …

              ADDRESS          redis://[user:password@]host[:port][/database], or rediss://… for TLS. Without a password in it, that of REDISCLI_AUTH.
                               Or the path of a redis-server or valkey-server, which is started for the check on 127.0.0.1
              --minutes N      for how long, 1 to 240 (10); or --seconds N, 15 or more
              --rate N         requests for locks in a second, at most, 10 to 2000 (300)
              --grace SECONDS  the clients have a failover-grace
              --faults A,B     of network, process, failover (in which you change the server); by default all,
                               with --library the first two
              --library NAME   check redisson, shedlock, shedlock-with-safe-update, spring-integration, spring-integration-with-renewal or holdfast,
                               and write holdfast-check-NAME.html. naive is a lock that is SET NX PX and DEL, to see what the check finds
              --class-path P   the jars of that library and of what it needs, as for java; a folder stands for its jars
              --among-data     check another library on a Redis that is not empty
              --seed N         the seed of the faults

            Ends with 0 if all promises were kept, 1 if one was broken or this server is not suitable, 2 for wrong arguments, 3 without a result,
            and 4 if only time limits were broken. judge: 0 for no overlap, 1 for two holders, 2, and 3 if something is not known.
            """;

    private static final int FIRST_RATE = 300;
    private static final int FIRST_MINUTES = 10;

    /** @throws IllegalArgumentException with what is wrong with the arguments */
    static CheckOptions parse(List<String> arguments, @Nullable String password) {
        int seconds = FIRST_MINUTES * 60;
        int rate = FIRST_RATE;
        int grace = 0;
        CheckedLibrary library = CheckedLibrary.HOLDFAST;
        String classPath = "";
        boolean amongData = false;
        Path page = null;
        List<Phase> phases = List.of();
        long seed = new Random().nextInt(1_000_000);
        String address = null;
        for (Iterator<String> each = arguments.iterator(); each.hasNext(); ) {
            String argument = each.next();
            switch (argument) {
                case "--minutes" -> seconds = (int) TimeUnit.MINUTES.toSeconds(number(argument, each, 1, 240));
                case "--seconds" -> seconds = number(argument, each, 15, 14_400);
                case "--rate" -> rate = number(argument, each, 10, 2_000);
                case "--grace" -> grace = number(argument, each, 3, 3_600);
                case "--seed" -> seed = number(argument, each, 0, Integer.MAX_VALUE);
                case "--faults" -> phases = phases(each);
                case "--library" -> {
                    library = CheckedLibrary.named(each.hasNext() ? each.next() : "");
                    page = Path.of("holdfast-check-" + library.option() + ".html");
                }
                case "--class-path" -> classPath = each.hasNext() ? each.next() : "";
                case "--among-data" -> amongData = true;
                default -> {
                    if (argument.startsWith("-") || address != null) {
                        throw new IllegalArgumentException("Unknown argument '" + argument + "'");
                    }
                    address = argument;
                }
            }
        }
        if (address == null || !address.matches("rediss?://.+")) {
            throw new IllegalArgumentException(
                    "The first argument must be redis://…, rediss://… or the path of a redis-server"
                            + (address == null ? ", and is missing" : ". '" + address + "' is no such file"));
        }
        if (phases.isEmpty()) {
            // Somebody who only tries a library does not change the server.
            phases = page == null ? List.of(Phase.values()) : List.of(Phase.NETWORK, Phase.PROCESS);
        }
        if (library.isReaders() && classPath.isEmpty()) {
            throw new IllegalArgumentException("--library " + library.option() + " needs --class-path with its jars");
        }
        return new CheckOptions(
                uri(address, password), seconds, rate, grace, library, classPath, amongData, page, phases, seed);
    }

    private static RedisURI uri(String address, @Nullable String password) {
        RedisURI uri = RedisURI.create(address);
        if (password != null && !address.contains("@")) {
            uri.setCredentialsProvider(new StaticCredentialsProvider(null, password.toCharArray()));
        }
        return uri;
    }

    private static List<Phase> phases(Iterator<String> rest) {
        String names = rest.hasNext() ? rest.next() : "";
        List<String> each = List.of(names.split(",", -1));
        List<Phase> phases = Arrays.stream(Phase.values())
                .filter(phase -> each.contains(phase.toString()))
                .toList();
        if (phases.size() != each.size()) {
            throw new IllegalArgumentException(
                    "--faults must be some of network, process and failover, with commas, was '" + names + "'");
        }
        return phases;
    }

    private static int number(String option, Iterator<String> rest, int least, int most) {
        String value = rest.hasNext() ? rest.next() : "";
        if (value.matches("\\d{1,9}")) {
            int number = Integer.parseInt(value);
            if (number >= least && number <= most) {
                return number;
            }
        }
        throw new IllegalArgumentException(
                option + " must be a number from " + least + " to " + most + ", was '" + value + "'");
    }
}
