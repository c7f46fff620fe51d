package dev.holdfast.lock.simulation;

import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.internal.connection.ConnectionSettings;
import dev.holdfast.lock.internal.waiting.ReleaseSignals;
import dev.holdfast.lock.simulation.process.MessageChannels;
import dev.holdfast.lock.simulation.process.Subscriber;
import java.util.concurrent.TimeUnit;

/** The connection for messages, and its listeners. */
final class MessageLink extends Link implements MessageChannels.Connection, Subscriber {

    private static final long NOTICED_LATER = TimeUnit.SECONDS.toNanos(5);

    private final MessageChannels channels;

    /** Whether the client's user is permitted to subscribe to channels. */
    private final boolean subscribes;

    MessageLink(Network network, ConnectionSettings settings, Timer timer, boolean subscribes) {
        super(network, settings);
        this.subscribes = subscribes;
        this.channels = new MessageChannels(timer, this);
    }

    ReleaseSignals signals() {
        return channels;
    }

    @Override
    public void leave(String channel) {
        if (open && !isDeaf()) {
            int over = number;
            world().planAt(server, arrival(), () -> {
                if (over == number) {
                    server.unsubscribe(channel, this);
                }
            });
        }
    }

    @Override
    public void listen(String channel) {
        if (!open || isDeaf()) {
            return;
        }
        int over = number;
        world().planAt(server, arrival(), () -> {
            if (over == number && open && !isDeaf() && !subscribes) {
                world().planAt(network.process, replyArrival(), () -> refused(over, channel));
            } else if (over == number && open && !isDeaf()) {
                server.subscribe(channel, this);
                world().planAt(network.process, replyArrival(), () -> confirmed(over, channel));
            }
        });
    }

    private void refused(int over, String channel) {
        if (over == number && open) {
            channels.refused(channel);
        }
    }

    private void confirmed(int over, String channel) {
        if (over == number && open) {
            channels.confirmed(channel);
        }
    }

    /** Returns whether there is a listener, and not only a channel that is kept for a while. */
    boolean isUsed() {
        return channels.areUsed();
    }

    /** Sends a message. It is lost if the connection is half open or the network is split. */
    @Override
    public void send(String channel, String message) {
        if (!open || isDeaf()) {
            return;
        }
        int over = number;
        world().planAt(network.process, replyArrival(), () -> {
            if (over == number && open && channels.has(channel)) {
                Tracer tracer = world().tracer;
                if (tracer != null) {
                    tracer.heard(network.process, message);
                }
                channels.heard(channel, message);
            }
        });
    }

    @Override
    void opened() {
        server.forget(this);
        channels.names().forEach(this::listen);
    }

    @Override
    void ended() {
        number++;
        channels.interrupted();
        if (isDeaf()) {
            // The server continues to send messages to it for a while.
            int over = number;
            world().plan(server, NOTICED_LATER, () -> {
                if (over == number) {
                    server.forget(this);
                }
            });
        } else {
            server.forget(this);
        }
    }

    @Override
    public void close() {
        channels.close();
        if (open) {
            open = false;
            ended();
        }
        closed = true;
    }
}
