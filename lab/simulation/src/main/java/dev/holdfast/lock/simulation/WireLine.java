package dev.holdfast.lock.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** The connections of a client to one server that serve the same purpose. There are several while one replaces another. */
final class WireLine implements Line {

    final List<WireSocket> sockets = new ArrayList<>();

    private void each(Consumer<WireSocket> change) {
        List.copyOf(sockets).forEach(change);
    }

    @Override
    public boolean isOpen() {
        return !sockets.isEmpty();
    }

    @Override
    public long openSince() {
        return sockets.stream().mapToLong(socket -> socket.openedAt).max().orElse(Long.MAX_VALUE);
    }

    @Override
    public boolean isHalfOpen() {
        return sockets.stream().anyMatch(socket -> socket.isHalfOpen);
    }

    @Override
    public void becomeHalfOpen() {
        each(WireSocket::becomeHalfOpen);
    }

    @Override
    public void stallUntil(long moment) {
        each(socket -> socket.stallUntil(moment));
    }

    @Override
    public boolean isStalled() {
        return sockets.stream().anyMatch(WireSocket::isStalled);
    }

    @Override
    public void cut() {
        each(WireSocket::cut);
    }

    @Override
    public void close() {
        each(WireSocket::tear);
    }
}
