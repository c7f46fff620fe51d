package dev.holdfast.lock.proxy;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Cuts a stream of the Redis protocol, version 2 or 3, into frames; or hands out its bytes as they come. */
public final class RespReader {

    private final BufferedInputStream in;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final List<String> words = new ArrayList<>();

    public RespReader(InputStream in) {
        this.in = new BufferedInputStream(in, 1 << 16);
    }

    /** Waits for the next byte and leaves it where it is; -1 at the end of the stream. */
    public int peek() throws IOException {
        in.mark(1);
        int next = in.read();
        in.reset();
        return next;
    }

    /** Whatever has arrived, at least one byte. Only after {@link #peek()} found one. */
    byte[] chunk() throws IOException {
        byte[] buffer = new byte[1 << 14];
        return Arrays.copyOf(buffer, Math.max(0, in.read(buffer)));
    }

    public RespFrame frame() throws IOException {
        bytes.reset();
        words.clear();
        element();
        return new RespFrame(bytes.toByteArray(), words);
    }

    private void element() throws IOException {
        String line = line();
        String rest = line.substring(1);
        switch (line.charAt(0)) {
            case '$', '!', '=' -> bulk(Integer.parseInt(rest));
            case '*', '~', '>' -> elements(Integer.parseInt(rest));
            case '%' -> elements(2 * Integer.parseInt(rest));
            case '|' -> {
                // Attributes stand before the reply that they describe.
                elements(2 * Integer.parseInt(rest));
                element();
            }
            case '+', '-', ':', ',', '(', '#', '_' -> words.add(rest);
            default -> throw new IOException("This is not the Redis protocol: " + line);
        }
    }

    private void elements(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            element();
        }
    }

    private void bulk(int length) throws IOException {
        if (length >= 0) {
            byte[] content = in.readNBytes(length + 2);
            if (content.length < length + 2) {
                throw new EOFException("within a string");
            }
            bytes.writeBytes(content);
            words.add(new String(content, 0, length, StandardCharsets.UTF_8));
        }
    }

    private String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        int next;
        do {
            next = in.read();
            if (next < 0) {
                throw new EOFException("within a line");
            }
            line.write(next);
        } while (next != '\n');
        bytes.writeBytes(line.toByteArray());
        return line.toString(StandardCharsets.UTF_8).stripTrailing();
    }
}
