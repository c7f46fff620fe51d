package dev.holdfast.check;

import dev.holdfast.lock.proxy.Acceptor;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The data that the locks protect. Each lock has a register that accepts a write only if its token is not smaller than any earlier token, as a fenced
 * store does. Workers reach the registers over TCP, without Redis and without faults. The registers also record all events that workers report.
 */
final class Registers implements AutoCloseable {

    private final Acceptor acceptor = Acceptor.start("registers", 0, this::listen);
    private final Map<Long, Attempt> attempts = new HashMap<>();
    private final Map<Long, List<Long>> losses = new HashMap<>();
    private final Map<String, Long> greatest = new HashMap<>();
    private final List<Write> writes = new ArrayList<>();
    private final List<Outage> stalls = new ArrayList<>();
    private final List<String> left = new ArrayList<>();
    private final CountDownLatch closed = new CountDownLatch(Workers.COUNT);

    int port() {
        return acceptor.port();
    }

    /** Ends with the worker, which may be killed. Its earlier reports are recorded then. */
    private void listen(Socket socket) throws IOException {
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
        int worker = Integer.parseInt(lines.readLine().substring("worker ".length()));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (note(worker, line.split(" ", -1))) {
                socket.getOutputStream().write(1);
            }
        }
    }

    /** Records one line. Returns whether the worker waits for an answer. */
    private synchronized boolean note(int worker, String... words) {
        switch (words[0]) {
            case "stall" -> stalls.add(new Outage("stall", worker, Long.parseLong(words[1]), Long.parseLong(words[2])));
            case "left" -> left.add("thread " + words[1] + " of worker " + worker);
            case "closed" -> closed.countDown();
            case "ask" -> ask(worker, words);
            // A loss arrives on a different connection than its attempt, and perhaps before it.
            case "lost" ->
                losses.computeIfAbsent(key(worker, words[1]), key -> new ArrayList<>())
                        .add(Long.parseLong(words[2]));
            default -> {
                Attempt attempt = attempts.get(key(worker, words[1]));
                return note(Objects.requireNonNull(attempt, "a worker tells of what it did not ask for"), words);
            }
        }
        return false;
    }

    private static long key(int worker, String number) {
        return Long.parseLong(number) * 8 + worker;
    }

    private void ask(int worker, String... words) {
        long number = Long.parseLong(words[1]);
        Attempt attempt = new Attempt(
                worker,
                number,
                Use.valueOf(words[2]),
                List.of(words[3].split(",", -1)),
                Long.parseLong(words[4]),
                Long.parseLong(words[5]));
        attempt.way = words[6];
        attempts.put(key(worker, words[1]), attempt);
    }

    private boolean note(Attempt attempt, String... words) {
        switch (words[0]) {
            case "got" -> {
                attempt.token = Long.parseLong(words[2]);
                attempt.answeredAt = Long.parseLong(words[3]);
            }
            case "not" -> {
                attempt.ending = Ending.valueOf(words[2]);
                attempt.answeredAt = Long.parseLong(words[3]);
            }
            case "free" -> {
                attempt.heldAt = Long.parseLong(words[2]);
                attempt.goneAt = Long.parseLong(words[3]);
                attempt.releaseAt = Long.parseLong(words[4]);
            }
            case "done" -> {
                attempt.ending = Ending.valueOf(words[2]);
                attempt.releasedAt = Long.parseLong(words[3]);
            }
            case "write" -> {
                attempt.heldAt = Long.parseLong(words[4]);
                write(attempt, words[2], Long.parseLong(words[3]));
                return true;
            }
            default -> throw new IllegalStateException("A worker says " + words[0]);
        }
        return false;
    }

    private void write(Attempt by, String lock, long token) {
        boolean accepted = token >= greatest.getOrDefault(lock, Long.MIN_VALUE);
        if (accepted) {
            greatest.put(lock, token);
        }
        writes.add(new Write(lock, by, token, System.nanoTime(), accepted));
    }

    synchronized long grants() {
        return attempts.values().stream().filter(Attempt::isGranted).count();
    }

    /** Waits until all workers have closed their clients. Returns false if one of them does not. */
    boolean awaitClosed() throws InterruptedException {
        return closed.await(30, TimeUnit.SECONDS);
    }

    /** Returns the threads that workers' clients left in their processes. */
    synchronized List<String> left() {
        return List.copyOf(left);
    }

    /** Returns the complete history. Workers must have ended. */
    synchronized History history(List<Outage> outages) {
        losses.forEach(
                (key, times) -> Objects.requireNonNull(attempts.get(key)).lostAt.addAll(times));
        losses.clear();
        return new History(List.copyOf(attempts.values()), List.copyOf(writes), outages, List.copyOf(stalls));
    }

    @Override
    public void close() {
        acceptor.close();
    }
}
