package dev.holdfast.lock.testing;

import dev.holdfast.lock.proxy.Acceptor;
import dev.holdfast.lock.proxy.DaemonThreads;
import dev.holdfast.lock.proxy.FreePorts;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.SocketAddressResolver;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/**
 * A service behind a load balancer that finds the database by the name in the TLS handshake (SNI), and shakes hands with nobody who says another name
 * or none. It ends TLS and passes the bytes on to the plain port of a server.
 */
public final class SniEndpoint implements AutoCloseable {

    private final TlsRedis redis;
    private final int port = FreePorts.next();
    private final Acceptor acceptor;
    private final List<String> names = new CopyOnWriteArrayList<>();

    private SniEndpoint(TlsRedis redis) {
        this.redis = redis;
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(new KeyManager[] {new KeyForName(redis)}, null, null);
            ServerSocket listener =
                    context.getServerSocketFactory().createServerSocket(port, 1_000, InetAddress.getLoopbackAddress());
            this.acceptor = Acceptor.start("sni-" + port, listener, client -> serve((SSLSocket) client));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Puts an endpoint before a server, whose certificate it shows. */
    public static SniEndpoint before(TlsRedis redis) {
        return new SniEndpoint(redis);
    }

    /** The only name that it answers to, which no name server knows. */
    public static String name() {
        return SelfSigned.NAME;
    }

    /** Makes every name lead to this machine. */
    public static ClientResources resources() {
        return ClientResources.builder()
                .socketAddressResolver(SocketAddressResolver.create(host -> new InetAddress[] {
                    InetAddress.getByAddress(
                            host, InetAddress.getLoopbackAddress().getAddress())
                }))
                .build();
    }

    public int port() {
        return port;
    }

    /** A new URI of the endpoint, under one of its server's names or another. */
    public RedisURI uri(String host) {
        return RedisURI.builder(redis.uri()).withHost(host).withPort(port).build();
    }

    public ClientOptions clientOptions() {
        return redis.clientOptions();
    }

    /** The names under which connections were opened. */
    public List<String> names() {
        return names;
    }

    /** Ends all connections. New ones are accepted. */
    public void closeConnections() {
        acceptor.closeConnections();
    }

    @Override
    public void close() {
        acceptor.close();
        FreePorts.giveBack(port);
    }

    private void serve(SSLSocket client) throws IOException {
        try (Socket server =
                new Socket(InetAddress.getLoopbackAddress(), redis.server().port())) {
            client.startHandshake();
            names.add(requested((ExtendedSSLSession) client.getSession()).toString());
            server.setTcpNoDelay(true);
            DaemonThreads.start("sni-" + port + "-server", () -> {
                pass(server, client);
                Acceptor.closeQuietly(client);
            });
            pass(client, server);
        }
    }

    private static void pass(Socket from, Socket to) {
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            in.transferTo(out);
        } catch (IOException ended) {
            // One side has left.
        }
    }

    private static Set<String> requested(ExtendedSSLSession handshake) {
        return handshake.getRequestedServerNames().stream()
                .map(SNIServerName::getEncoded)
                .map(bytes -> new String(bytes, StandardCharsets.US_ASCII))
                .collect(Collectors.toSet());
    }

    /** Has a key for those who ask for the right name, and so no common cipher with others. */
    private static final class KeyForName extends X509ExtendedKeyManager {

        private final PrivateKey key;
        private final X509Certificate certificate;

        KeyForName(TlsRedis redis) throws GeneralSecurityException, IOException {
            char[] password = SelfSigned.PASSWORD.toCharArray();
            KeyStore store = KeyStore.getInstance(redis.keyStore().toFile(), password);
            key = (PrivateKey) store.getKey(SelfSigned.ALIAS, password);
            certificate = (X509Certificate) store.getCertificate(SelfSigned.ALIAS);
        }

        @Override
        public String[] getServerAliases(String type, Principal[] issuers) {
            return new String[] {SelfSigned.ALIAS};
        }

        @Override
        public @Nullable String chooseServerAlias(String type, Principal[] issuers, Socket socket) {
            ExtendedSSLSession handshake = (ExtendedSSLSession) ((SSLSocket) socket).getHandshakeSession();
            boolean fits =
                    type.equals(key.getAlgorithm()) && requested(handshake).equals(Set.of(SelfSigned.NAME));
            return fits ? SelfSigned.ALIAS : null;
        }

        @Override
        public X509Certificate[] getCertificateChain(String alias) {
            return new X509Certificate[] {certificate};
        }

        @Override
        public PrivateKey getPrivateKey(String alias) {
            return key;
        }

        @Override
        public String[] getClientAliases(String type, Principal[] issuers) {
            return new String[0];
        }

        @Override
        public String chooseClientAlias(String[] types, Principal[] issuers, Socket socket) {
            throw new UnsupportedOperationException("a server");
        }
    }
}
