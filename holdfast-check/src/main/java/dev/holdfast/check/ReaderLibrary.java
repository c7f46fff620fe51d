package dev.holdfast.check;

import java.lang.reflect.InvocationTargetException;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import org.jspecify.annotations.Nullable;

/** A library in the reader's jars. It is called by reflection, because the check contains no other library's classes. */
abstract class ReaderLibrary implements WorkerLocks {

    private final ClassLoader loader;

    ReaderLibrary() {
        String classPath = WorkerSettings.PRESENT.classPath();
        loader = classPath == null ? getClass().getClassLoader() : new ReaderJars(classPath).loader();
        // The threads that the library starts, and the workers', look for its classes here.
        Thread.currentThread().setContextClassLoader(loader);
    }

    /**
     * A lock that was acquired.
     *
     * @param lock what {@link #release} needs
     * @param token the fencing token, or the time of the grant if the library has none. Later grants have greater ones
     */
    record Taken(Object lock, long token) {
        static Taken withoutToken(Object lock) {
            return new Taken(lock, System.nanoTime());
        }
    }

    /** Acquires a lock; returns null if it is busy. */
    abstract @Nullable Taken take(String name, Duration patience) throws Exception;

    /** Returns whether the holder believes that it still has the lock. A library that cannot tell leaves it in this belief. */
    boolean isHeld(Object lock) throws Exception {
        return true;
    }

    abstract void release(Object lock) throws Exception;

    final Class<?> type(String name) {
        try {
            return Class.forName(name, true, loader);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException("The class path has no " + name, e);
        }
    }

    final String fullName(String lock) {
        return WorkerSettings.PRESENT.prefix() + lock;
    }

    @Override
    public Answer acquire(Request request) {
        try {
            Taken taken = take(fullName(request.locks().get(0)), request.patience());
            return taken == null ? new NotAcquired(Ending.BUSY) : new Acquired(hold(taken));
        } catch (Exception e) {
            Throwable cause = cause(e);
            return new NotAcquired(cause instanceof InterruptedException ? Ending.GIVEN_UP : Ending.UNAVAILABLE);
        }
    }

    private Hold hold(Taken taken) {
        return new Hold() {
            @Override
            public long token() {
                return taken.token();
            }

            @Override
            public boolean isHeld() {
                try {
                    return ReaderLibrary.this.isHeld(taken.lock());
                } catch (Exception noAnswer) {
                    return false;
                }
            }

            @Override
            public Ending release() {
                try {
                    ReaderLibrary.this.release(taken.lock());
                    return Ending.RELEASED;
                } catch (Exception e) {
                    Throwable cause = cause(e);
                    return isLoss(cause) ? Ending.LOST : Ending.FAILED;
                }
            }
        };
    }

    /** Returns whether an exception of a release says that the lock was lost. */
    private static boolean isLoss(Throwable thrown) {
        return thrown instanceof IllegalMonitorStateException
                || thrown instanceof IllegalStateException
                || thrown instanceof ConcurrentModificationException;
    }

    private static Throwable cause(Exception thrown) {
        Throwable cause = thrown instanceof InvocationTargetException ? thrown.getCause() : thrown;
        return cause == null ? thrown : cause;
    }

    /** Connects as an application of Spring Boot does that sets only host and port, user, password and database. */
    final Object springConnections(Address address) throws ReflectiveOperationException {
        WorkerSettings settings = WorkerSettings.PRESENT;
        Class<?> server = type("org.springframework.data.redis.connection.RedisStandaloneConfiguration");
        Object configuration = server.getConstructor(String.class, int.class)
                .newInstance("127.0.0.1", address.ports().get(0));
        server.getMethod("setDatabase", int.class).invoke(configuration, settings.database());
        server.getMethod("setUsername", String.class).invoke(configuration, settings.user());
        server.getMethod("setPassword", String.class).invoke(configuration, settings.password());
        Class<?> factory = type("org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory");
        Object connections = factory.getConstructor(server).newInstance(configuration);
        factory.getMethod("afterPropertiesSet").invoke(connections);
        factory.getMethod("start").invoke(connections);
        return connections;
    }

    static void destroy(Object springBean) {
        try {
            springBean.getClass().getMethod("destroy").invoke(springBean);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void forceRelease(String lock) {
        throw new UnsupportedOperationException();
    }
}
