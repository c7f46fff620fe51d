package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * What DevTools does when a class changes: the application starts again in the same JVM, with its classes in a new class loader and the libraries' in
 * the old one.
 */
class RestartedApplicationTest {

    private final RedisServer server = RedisServer.shared();

    @Test
    void locksWorkAfterARestartAndNoThreadKeepsTheOldClasses() throws Exception {
        Restarted first = new Restarted();
        Restarted second = new Restarted();
        assertThat(start(first)).isEqualTo("true");
        assertThat(start(second)).isEqualTo("true");
        for (Restarted ended : List.of(first, second)) {
            Await.until(
                    "no thread keeps the classes of a closed application: " + threadsOf(ended),
                    Await.PATIENCE,
                    () -> threadsOf(ended).isEmpty());
        }
    }

    private static List<String> threadsOf(ClassLoader loader) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getContextClassLoader() == loader)
                .map(Thread::getName)
                .toList();
    }

    private String start(Restarted loader) throws Exception {
        @SuppressWarnings("unchecked")
        Callable<String> application = (Callable<String>) loader.loadClass(Application.class.getName())
                .getDeclaredConstructor(int.class)
                .newInstance(server.port());
        assertThat(application.getClass()).isNotSameAs(Application.class);
        FutureTask<String> main = new FutureTask<>(application);
        Thread thread = new Thread(main, "restartedMain");
        thread.setContextClassLoader(loader);
        thread.start();
        try {
            return main.get();
        } catch (ExecutionException e) {
            throw new AssertionError("The application failed", e.getCause());
        } finally {
            thread.join();
        }
    }

    /** Starts, calls a locked method, and closes. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    public static class Application implements Callable<String> {

        private final int port;

        public Application() {
            this(0);
        }

        public Application(int port) {
            this.port = port;
        }

        @Bean
        Job job() {
            return new Job();
        }

        @Override
        public String call() {
            try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
                    .web(WebApplicationType.NONE)
                    .run("--spring.data.redis.host=127.0.0.1", "--spring.data.redis.port=" + port)) {
                return context.getBean(Job.class).run(new Order("4711"));
            }
        }
    }

    /** A key's argument, of the application's classes as well. */
    public record Order(String id) {}

    /** A bean with a locked method. */
    public static class Job {

        @DistributedLock(name = "restarted-job", key = "#order.id")
        public String run(Order order) {
            return String.valueOf(LockContext.find().isPresent());
        }
    }

    /** Has the application's classes itself, and everything else from the class loader of the test. */
    private static final class Restarted extends ClassLoader {

        private static final String OWN = RestartedApplicationTest.class.getName() + "$";

        Restarted() {
            super(RestartedApplicationTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith(OWN)) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded == null ? define(name) : loaded;
            }
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            try (InputStream file = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
                byte[] bytes = file.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }
}
