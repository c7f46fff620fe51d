package dev.holdfast.lock.proxy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Free ports on the loopback interface, taken from a range no operating system uses for outgoing connections. A port that
 * the system may hand to anybody's outgoing connection can be gone while its server restarts; these stay free.
 */
public final class FreePorts {

    /** A cluster node's bus listens this far above its port. */
    static final int BUS_OFFSET = 10_000;

    /** With the bus ports the last share ends at 31 000; Linux gives outgoing connections 32 768 and up. */
    private static final int SHARE = 250;

    private static final int SHARES = 40;

    /** Each of several test processes has ports of its own: what one stops to start again the other cannot take meanwhile. */
    private static final ServerSocket CLAIM = claim();

    private static final int END = CLAIM.getLocalPort();
    private static final int FIRST = END - SHARE + 1;

    private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

    private FreePorts() {}

    /** Listens on the last port of a share for as long as this process lives. */
    private static ServerSocket claim() {
        for (int share = 1; share <= SHARES; share++) {
            try {
                return new ServerSocket(11_000 + share * SHARE - 1, 1, InetAddress.getLoopbackAddress());
            } catch (IOException taken) {
                // Another process has this share.
            }
        }
        throw new IllegalStateException(SHARES + " processes have taken all ports for tests on 127.0.0.1");
    }

    public static int next() {
        for (int attempt = 0; attempt < 1_000; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, END);
            if (GIVEN.add(port)) {
                if (isFree(port) && isFree(port + BUS_OFFSET)) {
                    return port;
                }
                GIVEN.remove(port);
            }
        }
        throw new IllegalStateException("No free port between " + FIRST + " and " + END + " on 127.0.0.1");
    }

    public static void giveBack(int port) {
        GIVEN.remove(port);
    }

    private static boolean isFree(int port) {
        try (ServerSocket probe = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return probe.isBound();
        } catch (IOException taken) {
            return false;
        }
    }
}
