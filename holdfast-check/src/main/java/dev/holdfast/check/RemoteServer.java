package dev.holdfast.check;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockException;
import dev.holdfast.lock.SelfCheck;
import dev.holdfast.lock.proxy.FaultProxy;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.RedisSource;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/** The server that is checked. It has other users, so only what belongs to the check is touched. */
final class RemoteServer implements FaultProxy.Server, AutoCloseable {

    private static final int CONNECT_MILLIS = 3_000;
    private static final int SLOTS_TRIED = 32;
    private static final Duration ONE_WAIT = Duration.ofMillis(200);

    private final RedisURI uri;
    private final RedisClient client;
    private final RedisCommands<String, String> commands;

    /** @throws RedisException if the server cannot be reached */
    RemoteServer(RedisURI uri) {
        this.uri = uri;
        uri.setTimeout(Duration.ofSeconds(3));
        this.client = RedisClient.create(uri);
        try {
            this.commands = client.connect().sync();
        } catch (RedisException e) {
            client.shutdown();
            throw e;
        }
    }

    /** Opens a connection, encrypted if the address says so. The clients of a proxy in front of it need no encryption. */
    @Override
    public Socket connect() throws IOException {
        Socket plain = new Socket();
        try {
            plain.connect(new InetSocketAddress(uri.getHost(), uri.getPort()), CONNECT_MILLIS);
            return uri.isSsl() ? encrypted(plain) : plain;
        } catch (IOException | RuntimeException e) {
            plain.close();
            throw e;
        }
    }

    private Socket encrypted(Socket plain) throws IOException {
        SSLSocket socket =
                (SSLSocket) context().getSocketFactory().createSocket(plain, uri.getHost(), uri.getPort(), true);
        if (uri.getVerifyMode() == SslVerifyMode.FULL) {
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            socket.setSSLParameters(parameters);
        }
        socket.setSoTimeout(CONNECT_MILLIS);
        socket.startHandshake();
        socket.setSoTimeout(0);
        return socket;
    }

    private SSLContext context() {
        try {
            if (uri.getVerifyMode() != SslVerifyMode.NONE) {
                return SSLContext.getDefault();
            }
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {new TrustsAll()}, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** For {@code ?verifyPeer=NONE} in the address. */
    private static final class TrustsAll implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }

    WorkerSettings settings(String prefix, int rate, int threads, @Nullable String classPath) {
        char[] password = uri.getCredentialsProvider()
                .resolveCredentials()
                .map(credentials -> credentials.hasPassword() ? credentials.getPassword() : new char[0])
                .blockOptional()
                .orElse(new char[0]);
        String user = uri.getCredentialsProvider()
                .resolveCredentials()
                .mapNotNull(credentials -> credentials.getUsername())
                .block();
        return new WorkerSettings(
                prefix,
                TimeUnit.SECONDS.toNanos(threads) / rate,
                user,
                password.length == 0 ? null : new String(password),
                uri.getDatabase(),
                classPath);
    }

    SelfCheck selfCheck(String prefix) {
        try (LockClient locks = RedisLockClient.builder(RedisSource.of(uri))
                .keyPrefix(prefix)
                .checkAtStart(false)
                .build()) {
            waitOnce(locks);
            return locks.selfCheck().toCompletableFuture().join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    /** Only a client that has waited knows whether it may subscribe. */
    private static void waitOnce(LockClient locks) {
        LeaseLock lock = locks.getLock("self-check");
        try (Lease held = lock.acquire()) {
            lock.tryAcquireAsync(AcquireOptions.defaults().waitAtMost(ONE_WAIT))
                    .toCompletableFuture()
                    .join();
        } catch (LockException | CompletionException refused) {
            // The self-check names the reason.
        }
    }

    /** Returns what the server says of itself, without a finding. */
    SelfCheck described() {
        Map<String, String> info = info();
        String valkey = info.get("valkey_version");
        return new SelfCheck(
                valkey == null ? "Redis" : "Valkey",
                valkey == null ? info.getOrDefault("redis_version", "of an unknown version") : valkey,
                info.getOrDefault("redis_mode", "unknown"),
                info.getOrDefault("master_replid", ""),
                List.of(),
                Map.of());
    }

    /** Returns what INFO says; empty if the user may not ask. */
    Map<String, String> info() {
        Map<String, String> info = new HashMap<>();
        for (String section : List.of("server", "replication")) {
            try {
                commands.info(section).lines().forEach(line -> {
                    int colon = line.indexOf(':');
                    if (colon > 0) {
                        info.put(line.substring(0, colon), line.substring(colon + 1));
                    }
                });
            } catch (RedisException refused) {
                String reason = String.valueOf(refused.getMessage());
                if (!reason.startsWith("NOPERM") && !reason.startsWith("ERR")) {
                    throw refused;
                }
            }
        }
        return info;
    }

    /** Returns how many of some keys in different slots the server does not have, but names another server for. */
    int redirected(String prefix) {
        int redirected = 0;
        for (int i = 0; i < SLOTS_TRIED; i++) {
            try {
                commands.exists(prefix + i);
            } catch (RedisException e) {
                redirected += String.valueOf(e.getMessage()).startsWith("MOVED") ? 1 : 0;
            }
        }
        return redirected;
    }

    /** Returns whether no database of the server has a key. A server that does not say counts as one that has. */
    boolean isEmpty() {
        try {
            return commands.info("keyspace").lines().noneMatch(line -> line.matches("db\\d+:.*"));
        } catch (RedisException refused) {
            return false;
        }
    }

    static int slotsTried() {
        return SLOTS_TRIED;
    }

    /** Returns the keys whose names match a pattern; null if the user may not look. */
    @Nullable
    List<String> keys(String pattern) {
        List<String> found = new ArrayList<>();
        try {
            ScanArgs arguments = ScanArgs.Builder.matches(pattern).limit(1_000);
            KeyScanCursor<String> cursor = commands.scan(arguments);
            found.addAll(cursor.getKeys());
            while (!cursor.isFinished()) {
                cursor = commands.scan(cursor, arguments);
                found.addAll(cursor.getKeys());
            }
            return found;
        } catch (RedisException refused) {
            return null;
        }
    }

    /** Returns the time to live of a key, in milliseconds. */
    long lifeOf(String key) {
        return commands.pttl(key);
    }

    /** Removes the keys whose names contain the prefix. Returns how many; -1 if the user may not look for them. */
    int remove(String prefix) {
        List<String> keys = keys("*" + prefix + "*");
        if (keys == null) {
            return -1;
        }
        keys.forEach(commands::del);
        return keys.size();
    }

    @Override
    public void close() {
        client.shutdown(0, 2, TimeUnit.SECONDS);
    }
}
