package dev.holdfast.lock.simulation;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * One direction of a connection, with the guarantees of TCP: everything arrives in order, or everything after some moment never arrives. What a split
 * network has lost is sent again after the split.
 *
 * @param <T> the pieces that arrive
 */
final class WireStream<T> {

    private static final long SENT_AGAIN_AFTER = TimeUnit.MILLISECONDS.toNanos(40);
    private static final long LATEST = TimeUnit.SECONDS.toNanos(4);

    /** A piece on its way. */
    private static final class Piece<T> {
        private final T content;
        private World.Event arrival;

        Piece(T content, World.Event arrival) {
            this.content = content;
            this.arrival = arrival;
        }
    }

    private final Network network;
    private Actor receiver;
    private final Consumer<T> onArrival;
    private final List<Piece<T>> onTheWay = new ArrayList<>();
    private final Deque<T> heldUp = new ArrayDeque<>();
    private long lastArrival;
    long stalledUntil;
    private boolean silent;

    /**
     * Creates a stream.
     *
     * @param receiver the actor that must run for a piece to arrive
     */
    WireStream(Network network, Actor receiver, Consumer<T> onArrival) {
        this.network = network;
        this.receiver = receiver;
        this.onArrival = onArrival;
    }

    /** Lets another actor receive what is sent from now on. */
    void leadTo(Actor other) {
        receiver = other;
    }

    void send(T content) {
        if (silent) {
            return;
        }
        World world = network.world();
        lastArrival = Math.max(lastArrival + 1, Math.max(stalledUntil, world.now()) + network.delay());
        travel(content, lastArrival);
    }

    private void travel(T content, long at) {
        World world = network.world();
        List<Piece<T>> self = new ArrayList<>(1);
        Piece<T> piece = new Piece<>(content, world.planAt(receiver, at, () -> {
            onTheWay.remove(self.get(0));
            heldUp.add(content);
            if (heldUp.size() == 1) {
                deliver();
            }
        }));
        self.add(piece);
        onTheWay.add(piece);
    }

    private void deliver() {
        if (network.split && !heldUp.isEmpty()) {
            network.world().plan(receiver, SENT_AGAIN_AFTER, this::deliver);
            return;
        }
        for (T next = heldUp.peek(); next != null; next = heldUp.peek()) {
            onArrival.accept(next);
            heldUp.poll();
        }
    }

    /** Loses everything that is on its way, and everything that follows. */
    void silence() {
        silent = true;
        drop(0);
    }

    private List<T> drop(int from) {
        List<T> dropped = new ArrayList<>();
        for (int i = onTheWay.size() - 1; i >= from; i--) {
            Piece<T> piece = onTheWay.remove(i);
            piece.arrival.cancel();
            dropped.add(0, piece.content);
        }
        return dropped;
    }

    /** Ends the stream: of what is on its way, some arrives as usual, and the rest late or never. */
    void tear() {
        Chance chance = network.chance;
        List<T> rest = drop(chance.onceIn(2) ? onTheWay.size() : chance.below(onTheWay.size() + 1));
        silent = true;
        if (!rest.isEmpty() && chance.onceIn(2)) {
            long at = network.world().now() + chance.between(0, chance.onceIn(4) ? LATEST : LATEST / 100);
            for (T content : rest) {
                travel(content, Math.max(lastArrival, at++));
            }
        }
    }
}
