package dev.holdfast.lock.sample.fleet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The addresses on which processes listen, as Linux lists them: hexadecimal, in the byte order of the machine. */
final class ListeningSockets {

    private static final String LISTENING = "0A";

    /** 127.0.0.1, the same as an IPv6 address, and ::1. */
    private static final Set<String> LOOPBACK =
            Set.of("0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000");

    private ListeningSockets() {}

    static List<String> of(List<ProcessHandle> processes) throws IOException {
        Set<String> theirs = new HashSet<>();
        for (ProcessHandle process : processes) {
            theirs.addAll(sockets(process.pid()));
        }
        try (Stream<String> four = Files.lines(Path.of("/proc/net/tcp"));
                Stream<String> six = Files.lines(Path.of("/proc/net/tcp6"))) {
            return Stream.concat(four, six)
                    .map(line -> line.strip().split("\\s+"))
                    .filter(columns -> columns.length > 9
                            && columns[3].equals(LISTENING)
                            && theirs.contains("socket:[" + columns[9] + "]"))
                    .map(columns -> columns[1])
                    .toList();
        }
    }

    static boolean isLoopback(String address) {
        return LOOPBACK.contains(address.substring(0, address.indexOf(':')));
    }

    private static Set<String> sockets(long pid) throws IOException {
        Set<String> found = new HashSet<>();
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/" + pid + "/fd"))) {
            for (Path each : descriptors.toList()) {
                found.add(Files.readSymbolicLink(each).toString());
            }
        } catch (IOException ended) {
            // The process or the descriptor is gone.
        }
        return found;
    }
}
