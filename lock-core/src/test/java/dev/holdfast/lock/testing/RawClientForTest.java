package dev.holdfast.lock.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A client without any wits of its own: what it sees is what the network did. */
final class RawClientForTest implements AutoCloseable {

    private final Socket socket;
    private final RespReader reader;

    RawClientForTest(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(10_000);
        socket.setTcpNoDelay(true);
        reader = new RespReader(socket.getInputStream());
    }

    void send(String... words) throws IOException {
        StringBuilder request = new StringBuilder("*" + words.length + "\r\n");
        for (String word : words) {
            request.append('$')
                    .append(word.length())
                    .append("\r\n")
                    .append(word)
                    .append("\r\n");
        }
        sendRaw(request.toString());
    }

    void sendRaw(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    /** The words of the next frame, with blanks between them. */
    String read() throws IOException {
        return String.join(" ", reader.frame().words());
    }

    String ask(String... words) throws IOException {
        send(words);
        return read();
    }

    boolean seesTheEnd() throws IOException {
        return reader.peek() < 0;
    }

    /** Whether nothing arrives for a moment. Only to be asked after the fault has struck. */
    boolean hearsNothing() throws IOException {
        socket.setSoTimeout(50);
        try {
            reader.peek();
            return false;
        } catch (java.net.SocketTimeoutException silence) {
            return true;
        } finally {
            socket.setSoTimeout(10_000);
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
