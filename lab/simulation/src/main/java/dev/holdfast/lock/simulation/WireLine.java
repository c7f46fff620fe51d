package dev.holdfast.lock.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** The connections of a client to one server that serve the same purpose. There are several while one replaces another. */
final class WireLine {

    final List<WireSocket> sockets = new ArrayList<>();

    private void each(Consumer<WireSocket> change) {
        List.copyOf(sockets).forEach(change);
    }

    /** Returns whether the client takes one of them for open. */
    boolean isOpen() {
        return !sockets.isEmpty();
    }

    /** Returns the time at which the latest one was opened. */
    long openSince() {
        return sockets.stream().mapToLong(socket -> socket.openedAt).max().orElse(Long.MAX_VALUE);
    }

    /** Returns whether data is lost in both directions, without either side noticing. */
    boolean isHalfOpen() {
        return sockets.stream().anyMatch(socket -> socket.isHalfOpen);
    }

    void becomeHalfOpen() {
        each(WireSocket::becomeHalfOpen);
    }

    /** Goes on with a master whose place another server has taken. */
    void stayWith(SimulatedServer former) {
        each(socket -> socket.stayWith(former));
    }

    /** Returns whether one of them leads to this server. */
    boolean isWith(SimulatedServer one) {
        return sockets.stream().anyMatch(socket -> socket.server == one);
    }

    /** Delays everything until the given time, because a lost packet must be sent again. */
    void stallUntil(long moment) {
        each(socket -> socket.stallUntil(moment));
    }

    boolean isStalled() {
        return sockets.stream().anyMatch(WireSocket::isStalled);
    }

    /** Ends them and notifies the client. */
    void cut() {
        each(WireSocket::cut);
    }

    /** Ends them without notifying the client. */
    void close() {
        each(WireSocket::tear);
    }
}
