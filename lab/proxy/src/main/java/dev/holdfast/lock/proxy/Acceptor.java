package dev.holdfast.lock.proxy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Accepts connections on this machine until it is closed, and serves each on a thread of its own. */
public final class Acceptor implements AutoCloseable {

    /** Serves one connection, which is closed when this method returns or fails. */
    @FunctionalInterface
    public interface Service {
        void serve(Socket client) throws IOException;
    }

    private final String name;
    private final ServerSocket listener;
    private final Service service;
    private final Set<Socket> clients = ConcurrentHashMap.newKeySet();

    private Acceptor(String name, ServerSocket listener, Service service) {
        this.name = name;
        this.listener = listener;
        this.service = service;
    }

    /** Starts to listen on a port, or on any free port if it is 0. */
    public static Acceptor start(String name, int port, Service service) {
        try {
            return start(name, new ServerSocket(port, 1_000, InetAddress.getLoopbackAddress()), service);
        } catch (IOException e) {
            throw new UncheckedIOException(name + " could not listen on port " + port, e);
        }
    }

    public static Acceptor start(String name, ServerSocket listener, Service service) {
        Acceptor acceptor = new Acceptor(name, listener, service);
        DaemonThreads.start(name, acceptor::accept);
        return acceptor;
    }

    public int port() {
        return listener.getLocalPort();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listener.accept();
                clients.add(client);
                DaemonThreads.start(name + "-client", () -> serve(client));
            }
        } catch (IOException closed) {
            // The listener was closed.
        }
    }

    private void serve(Socket client) {
        try (client) {
            client.setTcpNoDelay(true);
            service.serve(client);
        } catch (IOException ended) {
            // One of the sides has closed the connection.
        } finally {
            clients.remove(client);
        }
    }

    /** Closes all connections. New ones are accepted. */
    public void closeConnections() {
        clients.forEach(Acceptor::closeQuietly);
    }

    public static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // Nobody can use this socket any more in either case.
        }
    }

    /** Closes the port and all connections. */
    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        closeConnections();
    }
}
