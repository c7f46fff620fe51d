package dev.holdfast.lock.testing;

import dev.holdfast.lock.proxy.Acceptor;
import dev.holdfast.lock.proxy.DaemonThreads;
import dev.holdfast.lock.proxy.RespFrame;
import dev.holdfast.lock.proxy.RespReader;
import dev.holdfast.lock.testing.ShardingProxy.Service;
import io.lettuce.core.cluster.SlotHash;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** One client's connection to a {@link ShardingProxy}. Its requests are answered one by one; messages come between the answers. */
final class ShardedConnection {

    private static final Set<String> SCRIPTS = Set.of("EVAL", "EVALSHA");
    private static final Set<String> ONE_KEY =
            Set.of("GET", "SET", "GETDEL", "HGET", "HGETALL", "HEXISTS", "PTTL", "TYPE", "PEXPIRE", "INCRBY");
    private static final Set<String> KEYS = Set.of("DEL", "UNLINK", "EXISTS");
    private static final Set<String> SUBSCRIPTIONS = Set.of("SUBSCRIBE", "UNSUBSCRIBE", "SSUBSCRIBE", "SUNSUBSCRIBE");
    private static final Set<String> ANSWERED = Set.of("CLIENT", "AUTH", "SELECT", "QUIT");

    /** One server's side of this connection. */
    private record Link(Socket socket, RespReader reader) {}

    private final ShardingProxy proxy;
    private final Socket client;
    private final Map<Integer, Link> links = new ConcurrentHashMap<>();
    private final Map<Integer, Link> subscriptions = new ConcurrentHashMap<>();

    ShardedConnection(ShardingProxy proxy, Socket client) {
        this.proxy = proxy;
        this.client = client;
    }

    /** Serves the client until it leaves, is idle for too long, or a server ends. */
    void serve() throws IOException {
        try {
            client.setSoTimeout((int) proxy.idleLimit().toMillis());
            RespReader requests = new RespReader(client.getInputStream());
            while (requests.peek() >= 0) {
                handle(requests.frame());
            }
        } finally {
            Stream.concat(links.values().stream(), subscriptions.values().stream())
                    .forEach(link -> Acceptor.closeQuietly(link.socket));
        }
    }

    private void handle(RespFrame request) throws IOException {
        List<String> words = request.words();
        String name = request.name();
        if (SCRIPTS.contains(name)) {
            forward(request, words.subList(3, 3 + Integer.parseInt(words.get(2))));
        } else if (ONE_KEY.contains(name)) {
            forward(request, words.subList(1, 2));
        } else if (KEYS.contains(name)) {
            forward(request, words.subList(1, words.size()));
        } else if (name.equals("PING")) {
            answer("+PONG");
        } else if (proxy.service() == Service.ROUTES_BY_FIRST_KEY) {
            answer("-ERR unknown command '" + name + "'");
        } else {
            handleBeyondKeys(request);
        }
    }

    private void handleBeyondKeys(RespFrame request) throws IOException {
        String name = request.name();
        if (SUBSCRIPTIONS.contains(name)) {
            for (String channel : request.words().subList(1, request.words().size())) {
                subscribe(name, channel);
            }
        } else if (ANSWERED.contains(name)) {
            answer("+OK");
        } else if (name.equals("HELLO")) {
            answer("-NOPROTO unsupported protocol version");
        } else if (name.equals("TIME")) {
            answer(exchange(0, request.raw()));
        } else if (name.equals("INFO")) {
            String info = new String(exchange(0, request.raw()), StandardCharsets.UTF_8);
            String text = info.substring(info.indexOf('\n') + 1, info.length() - 2);
            answer(bulk(text.replace("_mode:cluster", "_mode:standalone")));
        } else {
            answer("-ERR unknown command '" + name + "'");
        }
    }

    private void forward(RespFrame request, List<String> keys) throws IOException {
        boolean refuses = proxy.service() != Service.ROUTES_BY_FIRST_KEY;
        if (refuses && keys.stream().map(SlotHash::getSlot).distinct().count() > 1) {
            answer("-CROSSSLOT Keys in request don't hash to the same slot");
        } else {
            answer(exchange(keys.isEmpty() ? 0 : proxy.shardIndexOf(keys.get(0)), request.raw()));
        }
    }

    private byte[] exchange(int shard, byte[] request) throws IOException {
        Link link = links.get(shard);
        if (link == null) {
            link = open(shard);
            links.put(shard, link);
        }
        link.socket.getOutputStream().write(request);
        return link.reader.frame().raw();
    }

    /** Servers answer with a push; what follows are messages. */
    private void subscribe(String name, String channel) throws IOException {
        int shard = proxy.shardIndexOf(channel);
        if (proxy.service() == Service.LOSES_MESSAGES && shard > 0) {
            answer(("*3\r\n" + text(name.toLowerCase(Locale.ROOT)) + text(channel) + ":1\r\n")
                    .getBytes(StandardCharsets.UTF_8));
            return;
        }
        Link link = subscriptions.get(shard);
        if (link == null) {
            Link opened = open(shard);
            subscriptions.put(shard, opened);
            DaemonThreads.start("sharding-proxy-messages", () -> passMessages(opened));
            link = opened;
        }
        link.socket.getOutputStream().write(command(name, channel));
    }

    private void passMessages(Link link) {
        try {
            while (link.reader.peek() >= 0) {
                answer(link.reader.frame().raw());
            }
        } catch (IOException ended) {
            // The connection was closed.
        }
    }

    private Link open(int shard) throws IOException {
        Socket socket = new Socket(
                InetAddress.getLoopbackAddress(), proxy.shards().get(shard).port());
        socket.setTcpNoDelay(true);
        return new Link(socket, new RespReader(socket.getInputStream()));
    }

    private void answer(String line) throws IOException {
        answer((line + "\r\n").getBytes(StandardCharsets.UTF_8));
    }

    private void answer(byte[] frame) throws IOException {
        synchronized (client) {
            OutputStream out = client.getOutputStream();
            out.write(frame);
        }
    }

    private static byte[] command(String... words) {
        ByteArrayOutputStream frame = new ByteArrayOutputStream();
        frame.writeBytes(("*" + words.length + "\r\n").getBytes(StandardCharsets.UTF_8));
        for (String word : words) {
            frame.writeBytes(bulk(word));
        }
        return frame.toByteArray();
    }

    private static byte[] bulk(String text) {
        return text(text).getBytes(StandardCharsets.UTF_8);
    }

    private static String text(String text) {
        return "$" + text.getBytes(StandardCharsets.UTF_8).length + "\r\n" + text + "\r\n";
    }
}
