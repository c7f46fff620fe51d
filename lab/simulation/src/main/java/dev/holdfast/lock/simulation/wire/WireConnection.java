package dev.holdfast.lock.simulation.wire;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.StatefulRedisConnectionImpl;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.protocol.CommandEncoder;
import io.lettuce.core.protocol.CommandHandler;
import io.lettuce.core.protocol.DefaultEndpoint;
import io.lettuce.core.pubsub.PubSubCommandHandler;
import io.lettuce.core.pubsub.PubSubEndpoint;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnectionImpl;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.tracing.Tracing;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelId;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A connection of Lettuce without a socket. Lettuce's own classes encode commands, keep them in order, decode answers, and end the commands of a
 * connection that ends. Nothing happens here in another thread.
 */
public final class WireConnection {

    /** The other end of the connection. Its methods are called while Lettuce holds locks, so they must not call the connection. */
    public interface Peer {

        /** Receives a command. */
        void sent(List<String> command);

        /** Called when the client has closed the connection. */
        void closed();
    }

    /** The same options as in the product. */
    private static final ClientOptions OPTIONS = ClientOptions.builder()
            .autoReconnect(false)
            .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
            .requestQueueSize(262_144)
            .build();

    /** Has no threads, because the connection needs none. */
    private static final ClientResources RESOURCES = (ClientResources) Proxy.newProxyInstance(
            WireConnection.class.getClassLoader(),
            new Class<?>[] {ClientResources.class},
            (proxy, method, args) -> switch (method.getName()) {
                case "tracing" -> Tracing.disabled();
                case "commandLatencyRecorder" -> CommandLatencyRecorder.disabled();
                default -> throw new UnsupportedOperationException(method.toString());
            });

    /** The garbage collector frees its buffers, because a process that dies releases nothing. */
    private static final UnpooledByteBufAllocator HEAP = new UnpooledByteBufAllocator(false, true);

    /** The limit of calls that block. The product makes none on these connections. */
    private static final Duration LIMIT = Duration.ofMinutes(1);

    private final Peer peer;
    private final List<RedisConnectionStateListener> watchers = new CopyOnWriteArrayList<>();
    private final StatefulRedisConnectionImpl<String, String> connection;
    private final EmbeddedChannel channel;
    private boolean over;

    /** Opens a connection for commands. */
    public static WireConnection forCommands(Peer peer) {
        return new WireConnection(peer, new DefaultEndpoint(OPTIONS, RESOURCES));
    }

    /** Opens a connection for messages. */
    public static WireConnection forMessages(Peer peer) {
        return new WireConnection(peer, new PubSubEndpoint<>(OPTIONS, RESOURCES));
    }

    private WireConnection(Peer peer, DefaultEndpoint endpoint) {
        this.peer = peer;
        this.connection = new StatefulRedisConnectionImpl<>(endpoint, endpoint, StringCodec.UTF8, LIMIT) {
            @Override
            public void addListener(RedisConnectionStateListener listener) {
                watchers.add(listener);
            }
        };
        this.channel = open(new CommandHandler(OPTIONS, RESOURCES, endpoint));
    }

    private WireConnection(Peer peer, PubSubEndpoint<String, String> endpoint) {
        this.peer = peer;
        this.connection = new StatefulRedisPubSubConnectionImpl<>(endpoint, endpoint, StringCodec.UTF8, LIMIT) {
            @Override
            public void addListener(RedisConnectionStateListener listener) {
                watchers.add(listener);
            }
        };
        this.channel = open(new PubSubCommandHandler<>(OPTIONS, RESOURCES, StringCodec.UTF8, endpoint));
    }

    private EmbeddedChannel open(CommandHandler commands) {
        EmbeddedChannel opened =
                new EmbeddedChannel(id(), false, false, new Socket(), new CommandEncoder(), commands, new Watch());
        opened.config().setAllocator(HEAP);
        try {
            opened.register();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        return opened;
    }

    /** An id that is the same in each run. */
    private static ChannelId id() {
        return new ChannelId() {
            private static final long serialVersionUID = 1L;

            @Override
            public String asShortText() {
                return "wire";
            }

            @Override
            public String asLongText() {
                return "wire";
            }

            @Override
            public int compareTo(ChannelId other) {
                return 0;
            }
        };
    }

    /** Stands where the socket would be. */
    private final class Socket extends ChannelDuplexHandler {

        @Override
        public void write(ChannelHandlerContext context, Object written, ChannelPromise promise) {
            ByteBuf buffer = (ByteBuf) written;
            byte[] bytes = new byte[buffer.readableBytes()];
            buffer.readBytes(bytes);
            buffer.release();
            Resp.commands(bytes).forEach(peer::sent);
            promise.setSuccess();
        }

        @Override
        public void close(ChannelHandlerContext context, ChannelPromise promise) {
            if (!over) {
                over = true;
                peer.closed();
            }
            context.close(promise);
        }
    }

    /** Tells the listeners, as a class of Lettuce does that is not public. */
    private final class Watch extends ChannelDuplexHandler {

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            watchers.forEach(watcher -> watcher.onRedisDisconnected((RedisChannelHandler<?, ?>) connection));
        }
    }

    /** Returns the connection for commands. */
    public StatefulRedisConnection<String, String> commands() {
        return connection;
    }

    /** Returns the connection for messages. */
    public StatefulRedisPubSubConnection<String, String> messages() {
        return (StatefulRedisPubSubConnection<String, String>) connection;
    }

    /** Hands over bytes that the client has read. */
    public void receive(byte[] bytes) {
        if (!over) {
            channel.writeInbound(Unpooled.wrappedBuffer(bytes));
        }
    }

    /** Called when the client has read the end of the connection. */
    public void end() {
        if (!over) {
            over = true;
            channel.close();
        }
    }
}
