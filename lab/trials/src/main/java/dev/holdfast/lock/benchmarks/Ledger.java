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
 * Memory that all processes of a benchmark share. It records the last process that held the lock, when that process left, and how often two processes
 * held the lock at once. Only holders write to it, so its cost does not affect a benchmark.
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
     * Records that a process has the lock.
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

    /** Returns the time at which the last holder left, by the monotonic clock, which the processes of one machine share. */
    long leftNanos() {
        return (long) LONGS.getVolatile(memory, LEFT);
    }

    long lastProcess() {
        return (long) LONGS.getVolatile(memory, LAST);
    }

    long overlaps() {
        return (long) LONGS.getVolatile(memory, OVERLAPS);
    }

    /** Clears the last holder, before a round whose first acquisition is not a hand-over. */
    void forgetLast() {
        LONGS.setVolatile(memory, LAST, 0L);
        LONGS.setVolatile(memory, LEFT, 0L);
    }
}
