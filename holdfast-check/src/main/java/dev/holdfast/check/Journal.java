package dev.holdfast.check;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * A worker thread's connection to the registers, for writes and for reports of events. Events are sent at once, so that none is lost with the
 * process. The connection does not pass through Redis or a fault.
 */
final class Journal implements AutoCloseable {

    private final Socket socket;
    private final OutputStream out;
    private final InputStream in;

    Journal(int port, int worker) {
        try {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setTcpNoDelay(true);
            out = new BufferedOutputStream(socket.getOutputStream());
            in = socket.getInputStream();
            tell("worker " + worker);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends one line: an event, and numbers or names. */
    synchronized void tell(String line) {
        add(line);
        flush();
    }

    /** Sends the lines that were added. */
    synchronized void flush() {
        try {
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Adds a line that is sent with the next line. The line is lost if the process is killed before. */
    synchronized void add(String line) {
        try {
            out.write((line + "\n").getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Writes to the register of a lock. The worker does not need to know whether the write was accepted. */
    synchronized void write(long number, String lock, long token, long heldAt) {
        tell("write " + number + " " + lock + " " + token + " " + heldAt);
        try {
            if (in.read() < 0) {
                throw new IOException("The registers are closed");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
