package dev.holdfast.lock.testing;

import dev.holdfast.lock.proxy.Interrupts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A key and a certificate that signs itself, for localhost and a name with dots, made with the JDK's keytool: the JDK has no API for that. */
final class SelfSigned {

    /** Never asked of a name server: a test resolves it, and SNI leaves out names without a dot. */
    static final String NAME = "locks.holdfast.test";

    static final String ALIAS = "server";
    static final String PASSWORD = "holdfast";

    private SelfSigned() {}

    static Path certificate(ServerFolder folder) {
        return folder.path().resolve("server.crt");
    }

    static Path key(ServerFolder folder) {
        return folder.path().resolve("server.key");
    }

    static Path store(ServerFolder folder) {
        return folder.path().resolve("server.p12");
    }

    static void create(ServerFolder folder) {
        Path store = store(folder);
        try {
            keytool(store);
            KeyStore content = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
            writePem(
                    folder,
                    certificate(folder),
                    "CERTIFICATE",
                    content.getCertificate(ALIAS).getEncoded());
            byte[] key = content.getKey(ALIAS, PASSWORD.toCharArray()).getEncoded();
            writePem(folder, key(folder), "PRIVATE KEY", key);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            throw Interrupts.rethrow(e);
        }
    }

    private static void keytool(Path store) throws IOException, InterruptedException {
        Process keytool = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        ALIAS,
                        "-keyalg",
                        "EC",
                        "-groupname",
                        "secp256r1",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "SAN=dns:localhost,ip:127.0.0.1,dns:" + NAME,
                        "-validity",
                        "2",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        PASSWORD))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (!keytool.waitFor(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS) || keytool.exitValue() != 0) {
            keytool.destroyForcibly();
            throw new IllegalStateException("keytool could not make a certificate in " + store);
        }
    }

    private static void writePem(ServerFolder folder, Path file, String what, byte[] content) {
        String body = Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                .encodeToString(content);
        folder.write(
                file.getFileName().toString(),
                List.of("-----BEGIN " + what + "-----", body, "-----END " + what + "-----"));
    }
}
