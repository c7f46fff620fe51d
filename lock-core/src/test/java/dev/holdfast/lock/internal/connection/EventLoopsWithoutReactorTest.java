package dev.holdfast.lock.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Event loops are recognized where Reactor, which Lettuce may not need, is not on the class path. */
class EventLoopsWithoutReactorTest {

    @Test
    void threadsAreRecognizedByNettyAlone() throws Exception {
        URL[] classPath = Stream.of(EventLoops.class, EventLoop.class, FastThreadLocalThread.class)
                .map(type -> type.getProtectionDomain().getCodeSource().getLocation())
                .toArray(URL[]::new);
        try (URLClassLoader withoutReactor = new URLClassLoader(classPath, ClassLoader.getPlatformClassLoader())) {
            Class<?> eventLoops = withoutReactor.loadClass(EventLoops.class.getName());
            assertThat(eventLoops.getMethod("isCurrent").invoke(null)).isEqualTo(false);
        }
    }
}
