package dev.holdfast.lock.spring.interceptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.spring.InvalidLockDeclarationException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.util.ReflectionUtils;

/** Beans that are written in Kotlin. The Kotlin compiler compiles them first. */
class KotlinTest {

    private static final String SOURCE = """
            package shop

            import dev.holdfast.lock.spring.DistributedLock
            import dev.holdfast.lock.spring.LockContext

            data class Customer(val id: Long)
            data class Order(val id: Long, val customer: Customer)

            open class Orders {
                @DistributedLock(name = "order", key = "#order.customer.id")
                open fun pay(order: Order): String = LockContext.current().lockName()

                open fun example() = Order(1, Customer(7))
            }

            interface Job { fun run(id: String): String }

            class FinalJob : Job {
                @DistributedLock(name = "job", key = "#id")
                override fun run(id: String): String = LockContext.current().lockName()
            }

            class FinalClass {
                @DistributedLock(name = "final-class")
                fun run() {}
            }

            open class FinalFunction {
                @DistributedLock(name = "final-function")
                fun run() {}
            }

            open class Suspending {
                @DistributedLock(name = "suspending")
                open suspend fun run(id: String): String = id
            }
            """;

    @TempDir
    static Path folder;

    private static URLClassLoader classes;

    @BeforeAll
    static void compile() throws IOException, InterruptedException {
        Path source = Files.writeString(folder.resolve("Shop.kt"), SOURCE);
        Path output = Files.createDirectory(folder.resolve("classes"));
        Path log = folder.resolve("compiler.log");
        // In a process of its own: the agent that measures coverage would make the compiler several times slower.
        Process compiler = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "org.jetbrains.kotlin.cli.jvm.K2JVMCompiler",
                        "-no-stdlib",
                        "-no-reflect",
                        "-jvm-target",
                        "17",
                        "-classpath",
                        System.getProperty("java.class.path"),
                        "-d",
                        output.toString(),
                        source.toString())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        assertThat(compiler.waitFor()).as(() -> read(log)).isZero();
        classes = new URLClassLoader(new URL[] {output.toUri().toURL()}, KotlinTest.class.getClassLoader());
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @AfterAll
    static void close() throws IOException {
        classes.close();
    }

    @Test
    void openFunctionIsLockedAndItsKeySeesItsParameters() {
        try (Locked app = start("Orders")) {
            Object orders = app.bean(type("Orders"));
            assertThat(call(orders, "pay", call(orders, "example"))).isEqualTo("order:7");
        }
    }

    @Test
    void finalClassBehindAnInterfaceIsLocked() {
        try (Locked app = start("FinalJob")) {
            assertThat(call(app.bean(type("Job")), "run", "7")).isEqualTo("job:7");
        }
    }

    @Test
    void classThatIsNotOpenIsRefused() {
        assertRefused("FinalClass").hasMessageContainingAll("FinalClass.run()", "is final", "kotlin-spring");
    }

    @Test
    void functionThatIsNotOpenIsRefused() {
        assertRefused("FinalFunction").hasMessageContainingAll("FinalFunction.run()", "final method", "kotlin-spring");
    }

    /** The tests of lock-kotlin call suspending functions. */
    @Test
    void suspendingFunctionIsAccepted() {
        start("Suspending").close();
    }

    private static AbstractThrowableAssert<?, ?> assertRefused(String bean) {
        return assertThatThrownBy(() -> start(bean).close())
                .extracting(
                        NestedExceptionUtils::getMostSpecificCause,
                        org.assertj.core.api.InstanceOfAssertFactories.THROWABLE)
                .isInstanceOf(InvalidLockDeclarationException.class);
    }

    private static Locked start(String bean) {
        return new Locked(context -> context.setClassLoader(classes), type(bean));
    }

    private static Class<?> type(String name) {
        try {
            return classes.loadClass("shop." + name);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Object call(Object bean, String name, Object... arguments) {
        Method method = java.util.Arrays.stream(bean.getClass().getMethods())
                .filter(each -> each.getName().equals(name) && each.getParameterCount() == arguments.length)
                .findFirst()
                .orElseThrow();
        return ReflectionUtils.invokeMethod(method, bean, arguments);
    }
}
