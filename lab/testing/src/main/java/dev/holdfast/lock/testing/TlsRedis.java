package dev.holdfast.lock.testing;

import dev.holdfast.lock.proxy.FreePorts;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A server that speaks TLS with a certificate of its own making. A client trusts it with {@link #sslOptions()}; everybody
 * else refuses it. {@link #server()} also has a plain port, for the test's own checks.
 */
public final class TlsRedis implements AutoCloseable {

    private final RedisServer server;
    private final int port;
    private final Path certificate;

    private TlsRedis(RedisServer server, int port, Path certificate) {
        this.server = server;
        this.port = port;
        this.certificate = certificate;
    }

    public static TlsRedis start(String... confLines) {
        int port = FreePorts.next();
        RedisServer server = ServerStart.start((plainPort, folder) -> lines(port, folder, confLines), List.of());
        return new TlsRedis(server, port, SelfSigned.certificate(server.life().folder()));
    }

    private static List<String> lines(int port, ServerFolder folder, String... confLines) {
        SelfSigned.create(folder);
        List<String> lines = new ArrayList<>(List.of(
                "tls-port " + port,
                "tls-cert-file " + SelfSigned.certificate(folder),
                "tls-key-file " + SelfSigned.key(folder),
                "tls-ca-cert-file " + SelfSigned.certificate(folder),
                "tls-auth-clients no"));
        lines.addAll(List.of(confLines));
        return lines;
    }

    public RedisServer server() {
        return server;
    }

    /** The port that speaks TLS. */
    public int port() {
        return port;
    }

    /** A new URI of the TLS port; the server's name is verified. */
    public RedisURI uri() {
        return RedisURI.builder()
                .withHost("localhost")
                .withPort(port)
                .withSsl(true)
                .withVerifyPeer(true)
                .build();
    }

    /** The certificate in PEM, which is its own authority: for {@code spring.ssl.bundle.pem.….truststore.certificate}. */
    public Path certificate() {
        return certificate;
    }

    Path keyStore() {
        return SelfSigned.store(server.life().folder());
    }

    /** Trust in this server and in nobody else. */
    public SslOptions sslOptions() {
        return SslOptions.builder()
                .jdkSslProvider()
                .trustManager(certificate.toFile())
                .build();
    }

    public ClientOptions clientOptions() {
        return ClientOptions.builder().sslOptions(sslOptions()).build();
    }

    @Override
    public void close() {
        server.close();
        FreePorts.giveBack(port);
    }
}
