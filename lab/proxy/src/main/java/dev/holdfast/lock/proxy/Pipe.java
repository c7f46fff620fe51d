package dev.holdfast.lock.proxy;

import dev.holdfast.lock.proxy.FaultProxy.Direction;
import java.io.IOException;
import java.net.Socket;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * One direction of a proxied connection. One thread reads and decides, a queue keeps the order, another thread writes: so
 * a delay is a latency and not a brake, and whatever is held back comes out in order.
 */
final class Pipe {

    private final ProxiedConnection connection;
    private final Direction direction;
    private final Socket from;
    private final Socket to;
    private final Faults faults;
    private final BlockingQueue<Step> steps = new LinkedBlockingQueue<>();
    private volatile boolean silent;
    private volatile boolean ended;

    Pipe(ProxiedConnection connection, Direction direction, Socket from, Socket to) {
        this.connection = connection;
        this.direction = direction;
        this.from = from;
        this.to = to;
        this.faults = connection.faults();
    }

    Direction direction() {
        return direction;
    }

    void open(String name) {
        DaemonThreads.start(name + "-reads-" + direction, this::read);
        DaemonThreads.start(name + "-writes-" + direction, this::write);
    }

    /** From now on nothing is delivered but what is queued already. */
    void silence() {
        silent = true;
    }

    /** Does something in the stream's order: after all bytes that came before. */
    void then(Step step) {
        steps.add(step);
    }

    /** Sends bytes on, later if there is a latency; or loses them. */
    void send(byte[] bytes) {
        if (lost()) {
            return;
        }
        Faults.Latency latency = faults.latency();
        long due = System.nanoTime() + latency.nanos();
        steps.add(() -> {
            if (latency.strike() != null) {
                TimeUnit.NANOSECONDS.sleep(due - System.nanoTime());
                latency.strike().struck();
            }
            faults.passDam(this);
            to.getOutputStream().write(bytes);
        });
    }

    /** Sends the end of the stream (FIN). */
    void finish() throws IOException {
        if (!to.isOutputShutdown()) {
            to.shutdownOutput();
        }
    }

    boolean hasEnded() {
        return ended;
    }

    private boolean lost() {
        Strike hole = faults.hole(direction);
        if (hole != null) {
            connection.tear();
            hole.struck();
        }
        return hole != null || silent;
    }

    private void read() {
        try {
            RespReader reader = new RespReader(from.getInputStream());
            for (int next = reader.peek(); next >= 0; next = reader.peek()) {
                if (connection.isRaw(direction, next)) {
                    send(reader.chunk());
                } else {
                    connection.decide(this, reader.frame());
                }
            }
            leave(this::end);
        } catch (IOException | RuntimeException e) {
            leave(connection::reset);
        }
    }

    /** The end of a stream is lost in a black hole like everything else. */
    private void leave(Step last) {
        if (!lost() || silent) {
            steps.add(last);
        }
    }

    private void end() throws IOException, InterruptedException {
        faults.passDam(this);
        ended = true;
        finish();
        connection.closeIfEnded();
    }

    private void write() {
        try {
            while (!ended && !connection.isClosed()) {
                steps.take().run();
            }
        } catch (IOException e) {
            connection.reset();
        } catch (InterruptedException e) {
            connection.reset();
            Thread.currentThread().interrupt();
        }
    }

    /** Something to do when all before it is done. */
    interface Step {
        void run() throws IOException, InterruptedException;
    }
}
