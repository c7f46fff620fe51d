package dev.holdfast.check;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;

/** A process with a client and with threads that acquire a few locks. When ordered to end, it reports which threads its client left. */
final class Worker {

    static final int THREADS = 3;

    /** The names of threads that all clients of a process share. */
    private static final Pattern SHARED = Pattern.compile("holdfast-(callback|log|composites)");

    private Worker() {}

    /**
     * Runs the process.
     *
     * @param args the class of the library, address, the registers' port, worker, process, seed, whether its threads are virtual
     */
    public static void main(String[] args) throws Exception {
        Address address = Address.parse(args[1]);
        int registers = Integer.parseInt(args[2]);
        int worker = Integer.parseInt(args[3]);
        long firstNumber = Long.parseLong(args[4]) * Starts.NUMBERS_OF_A_PROCESS;
        long seed = Long.parseLong(args[5]);
        AtomicBoolean over = new AtomicBoolean();
        CountDownLatch ended = new CountDownLatch(THREADS);
        Journal journal = new Journal(registers, worker);
        StallWatch.start(journal);
        WorkerLocks library = WorkerLocks.open(args[0], address);
        for (int i = 0; i < THREADS; i++) {
            WorkerThread thread = new WorkerThread(
                    library,
                    address.shape() == Address.Shape.QUORUM,
                    new Journal(registers, worker),
                    journal,
                    firstNumber + i * 1_000_000_000L,
                    seed * THREADS + i,
                    over);
            start(Boolean.parseBoolean(args[6]), () -> {
                try {
                    thread.run();
                } finally {
                    ended.countDown();
                }
            });
        }
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        obey(orders, library);
        over.set(true);
        ended.await();
        library.close();
        leftThreads().forEach(left -> journal.tell("left " + left));
        journal.tell("closed");
        // Connections that are still open at this point were left by the client.
        orders.readLine();
        System.exit(0);
    }

    /** Executes orders until the order to end, or until the process that gives orders ends. */
    private static void obey(BufferedReader orders, WorkerLocks library) throws IOException {
        for (String order = orders.readLine(); order != null && !order.equals("end"); order = orders.readLine()) {
            try {
                library.forceRelease(order);
            } catch (RuntimeException ignored) {
                // Redis cannot be reached, so nothing is released by force.
            }
        }
    }

    /** Starts a thread. A JDK without virtual threads uses a platform thread instead. */
    private static void start(boolean virtual, Runnable task) {
        try {
            if (virtual) {
                Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);
                return;
            }
        } catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException e) {
            System.err.println("No virtual threads: " + e);
        }
        new Thread(task, "chaos-worker").start();
    }

    /** Returns threads that a closed client should not have left. Threads that all clients of a process share remain. */
    private static List<String> leftThreads() throws InterruptedException {
        List<String> left = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            left.clear();
            for (Thread thread : Thread.getAllStackTraces().keySet()) {
                if (isClients(thread.getName())) {
                    left.add(thread.getName().replace(' ', '_'));
                }
            }
            if (left.isEmpty()) {
                return left;
            }
            Thread.sleep(100);
        }
        return left;
    }

    private static boolean isClients(String thread) {
        return thread.startsWith("lettuce-")
                || (thread.startsWith("holdfast-") && !SHARED.matcher(thread).lookingAt());
    }
}
