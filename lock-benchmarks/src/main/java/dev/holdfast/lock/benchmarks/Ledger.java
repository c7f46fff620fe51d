package dev.holdfast.lock.benchmarks;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Memory that all processes of a benchmark share: which process held the lock last, when it left, and how often two were inside together.
 * Holders write to it, so it costs nothing that a benchmark would notice.
 */
final class Ledger {

    private static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());
    private static final int INSIDE = 0;
    private static final int LAST = 8;
    private static final int LEFT = 16;
    private static final int OVERLAPS = 24;
    private static final int SIZE = 32;

    private final ByteBuffer memory;

    private Ledger(ByteBuffer memory) {
        this.memory = memory;
    }

    static Ledger open(Path file) {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return new Ledger(channel.map(FileChannel.MapMode.READ_WRITE, 0, SIZE));
        } catch (IOException e) {
            throw new IllegalStateException("Could not map " + file, e);
        }
    }

    /**
     * Notes that a process has the lock.
     *
     * @return whether another process had it before
     */
    boolean enter(long process) {
        if ((long) LONGS.getAndAdd(memory, INSIDE, 1L) != 0) {
            LONGS.getAndAdd(memory, OVERLAPS, 1L);
        }
        return (long) LONGS.getAndSet(memory, LAST, process) != process;
    }

    void leave() {
        LONGS.getAndAdd(memory, INSIDE, -1L);
        LONGS.setVolatile(memory, LEFT, System.nanoTime());
    }

    /** On the monotonic clock, which the processes of one machine share. */
    long leftNanos() {
        return (long) LONGS.getVolatile(memory, LEFT);
    }

    long lastProcess() {
        return (long) LONGS.getVolatile(memory, LAST);
    }

    long overlaps() {
        return (long) LONGS.getVolatile(memory, OVERLAPS);
    }

    /** Before a round whose first holder was not waited for. */
    void forgetLast() {
        LONGS.setVolatile(memory, LAST, 0L);
        LONGS.setVolatile(memory, LEFT, 0L);
    }
}
