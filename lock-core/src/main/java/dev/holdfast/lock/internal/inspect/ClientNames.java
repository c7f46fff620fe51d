package dev.holdfast.lock.internal.inspect;

import dev.holdfast.lock.LogText;
import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.internal.connection.RedisFailure;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.protocol.LockKeys;
import dev.holdfast.lock.internal.protocol.OwnerId;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The names of clients in Redis. They tell a refused caller who holds the lock. Redis contains a client's name while the client holds or waits for a
 * lock, and for one lifetime afterward. No lock waits for the commands that read and write names, or fails because of them.
 */
public final class ClientNames {

    public static final Duration LIFETIME = Duration.ofMinutes(5);

    private static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(5);
    private static final int WRITES_IN_A_LIFETIME = 3;

    private static final int MOST_BYTES = 200;
    private static final int LONGEST_HOST = 150;
    private static final Path LINUX_HOST_NAME = Path.of("/proc/sys/kernel/hostname");

    private final RedisGateway gateway;
    private final LockKeys keys;
    private final Timer timer;
    /** The id of this client. */
    private final String client;

    private final String name;
    private final Duration lifetime;
    /** Tells whether this client holds or waits for a lock. */
    private final BooleanSupplier inUse;

    private final AtomicBoolean recent = new AtomicBoolean();
    private Timer.@Nullable Timeout next;
    private boolean everWritten;
    private boolean closed;

    public ClientNames(
            RedisGateway gateway,
            LockKeys keys,
            Timer timer,
            String client,
            String name,
            Duration lifetime,
            BooleanSupplier inUse) {
        this.gateway = gateway;
        this.keys = keys;
        this.timer = timer;
        this.client = client;
        this.name = name;
        this.lifetime = lifetime;
        this.inUse = inUse;
    }

    /**
     * Called when this client begins to hold or wait for a lock. Writes the name unless it was written recently. That check is cheap: one volatile
     * read.
     */
    public void ensureWritten() {
        if (!recent.get() && recent.compareAndSet(false, true)) {
            write();
        }
    }

    /** Writes the name. Sends the command under the same monitor as the deletion, so that no name is written after its deletion. */
    private synchronized void write() {
        if (closed) {
            return;
        }
        everWritten = true;
        gateway.command("SET", List.of(keys.client(client)), name, "PX", Long.toString(lifetime.toMillis()))
                .whenComplete((done, failure) -> checkAgainAfter(pauseAfter(failure)));
    }

    private Duration pauseAfter(@Nullable Throwable failure) {
        Duration pause = lifetime.dividedBy(WRITES_IN_A_LIFETIME);
        boolean soonAgain = failure != null && RedisFailure.of(failure).isTransient();
        return soonAgain && pause.compareTo(PAUSE_AFTER_FAILURE) > 0 ? PAUSE_AFTER_FAILURE : pause;
    }

    private synchronized void checkAgainAfter(Duration pause) {
        if (!closed) {
            next = timer.after(pause.toNanos(), this::writeIfInUse);
        }
    }

    private void writeIfInUse() {
        recent.set(false);
        // Read after the reset of the flag: a caller that begins to use a lock in between sees the reset flag, and
        // either of the two threads writes the name.
        if (inUse.getAsBoolean()) {
            ensureWritten();
        }
    }

    /** Returns whether an owner id is of this client. */
    boolean areOfOwner(String owner) {
        return new OwnerId(owner).client().equals(client);
    }

    /** Returns a client's name, if Redis contains it. */
    public CompletableFuture<Optional<String>> of(String anyClient) {
        return gateway.command("GET", List.of(keys.client(anyClient)))
                .thenApply(answer -> Optional.ofNullable((String) answer.get(0)).map(ClientNames::cut));
    }

    /** Limits a name to the longest valid length, because other users of Redis can write any name. */
    private static String cut(String found) {
        return found.substring(0, Math.min(found.length(), MOST_BYTES));
    }

    /** Reads this client's name in order to check the user's rights. Fails if Redis refuses the command. */
    public CompletableFuture<Optional<String>> probe() {
        return of(client);
    }

    /** Deletes the name because the client closes. */
    public synchronized CompletableFuture<Void> forget() {
        closed = true;
        if (next != null) {
            next.cancel();
        }
        return everWritten
                ? gateway.command("DEL", List.of(keys.client(client))).handle((deleted, failure) -> null)
                : CompletableFuture.completedFuture(null);
    }

    /** Checks that a name fits into one log line, and returns it. */
    public static String check(@Nullable String name) {
        if (name == null || name.isBlank()) {
            throw new IllegalArgumentException("'clientName' must not be " + (name == null ? "null" : "blank"));
        }
        int bytes = bytes(name);
        if (bytes > MOST_BYTES) {
            throw new IllegalArgumentException(
                    "'clientName' must be 1 to " + MOST_BYTES + " bytes of UTF-8, was " + bytes);
        }
        String escaped = LogText.escape(name);
        if (!escaped.equals(name)) {
            throw new IllegalArgumentException(
                    "'clientName' must have no control characters, line breaks or backslashes, was '" + escaped + "'");
        }
        return name;
    }

    /**
     * Returns the default name for a process of an application. The application's name was not chosen for this purpose, so it is cut off where the
     * name would become too long.
     */
    public static String ofThisProcess(String application) {
        String process = ofThisProcess();
        String fitting = fitting(application.strip(), MOST_BYTES - 1 - bytes(process));
        return fitting.isEmpty() ? process : fitting + "@" + process;
    }

    private static String fitting(String text, int mostBytes) {
        StringBuilder fitting = new StringBuilder();
        int room = mostBytes;
        for (int i = 0; i < text.length(); i = text.offsetByCodePoints(i, 1)) {
            String character = Character.toString(text.codePointAt(i));
            room -= bytes(character);
            if (room < 0) {
                break;
            }
            fitting.append(LogText.escape(character).equals(character) ? character : "?");
        }
        return fitting.toString();
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    public static String ofThisProcess() {
        String host = host().strip();
        String plain = host.isEmpty() || !LogText.escape(host).equals(host) ? "unknown-host" : host;
        return plain.substring(0, Math.min(plain.length(), LONGEST_HOST)) + ":"
                + ProcessHandle.current().pid();
    }

    /** Returns the name of this host. First tries sources without a name server, so that the creation of a client does not hang. */
    private static String host() {
        String given = System.getenv("HOSTNAME");
        if (given == null) {
            given = System.getenv("COMPUTERNAME");
        }
        if (given != null) {
            return given;
        }
        try {
            return Files.exists(LINUX_HOST_NAME)
                    ? Files.readString(LINUX_HOST_NAME)
                    : InetAddress.getLocalHost().getHostName();
        } catch (IOException unknown) {
            return "";
        }
    }
}
