package dev.holdfast.lock.spring.shape;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.spring.InvalidLockDeclarationException;
import dev.holdfast.lock.spring.boot.LockInterceptionConfiguration;
import dev.holdfast.lock.spring.fixture.Database;
import dev.holdfast.lock.testing.Await;
import java.lang.reflect.InvocationTargetException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.assertj.core.util.Throwables;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.slf4j.LoggerFactory;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.util.ClassUtils;
import reactor.core.publisher.Flux;

/** Runs a shape in an application of its own. */
final class ShapeRun {

    private final Shape shape;
    private final ClassLoader classes;
    private final LockClient client;

    ShapeRun(Shape shape, ClassLoader classes, LockClient client) {
        this.shape = shape;
        this.classes = classes;
        this.client = client;
    }

    Outcome run() {
        ListAppender<ILoggingEvent> warnings = new ListAppender<>();
        Logger root = (Logger) LoggerFactory.getLogger("dev.holdfast");
        warnings.start();
        root.addAppender(warnings);
        Seen seen = Seen.begin(shape.id(), shape.locks(), client);
        Throwable failure;
        try {
            failure = failureOf(seen, true);
        } finally {
            root.detachAppender(warnings);
        }
        if (failure != null) {
            return isRefusal(failure)
                    ? new Outcome(Outcome.Kind.REFUSED, messageOf(failure))
                    : new Outcome(Outcome.Kind.BROKEN, Throwables.getStackTrace(failure));
        }
        List<String> faults = List.copyOf(seen.faults());
        if (faults.isEmpty()) {
            return new Outcome(Outcome.Kind.LOCKED, "");
        }
        String warned = warnings.list.stream()
                .filter(event -> event.getLevel().isGreaterOrEqual(Level.WARN))
                .map(ILoggingEvent::getFormattedMessage)
                .filter(this::isNamedIn)
                .collect(Collectors.joining("\n"));
        if (!warned.isEmpty() && shape.mayBeWarnedOf()) {
            return new Outcome(Outcome.Kind.WARNED, warned);
        }
        // No subclass and no proxy can be in the way of such a call.
        return new Outcome(
                shape.call() == Call.SUPER ? Outcome.Kind.DOCUMENTED : Outcome.Kind.SILENTLY_UNLOCKED,
                String.join(", ", faults));
    }

    /** Runs the shape in an application without Holdfast. Returns what failed, or null. */
    @Nullable
    Throwable control() {
        Seen seen = Seen.begin(shape.id(), shape.locks(), null);
        Throwable failure = failureOf(seen, false);
        return failure != null || seen.faults().isEmpty()
                ? failure
                : new AssertionError(String.join(", ", seen.faults()));
    }

    private @Nullable Throwable failureOf(Seen seen, boolean locked) {
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.setClassLoader(classes);
            // As Spring Boot does by default. Otherwise, each object would take its locks itself.
            context.setAllowCircularReferences(shape.creation() == Creation.CIRCULAR);
            configure(context, locked);
            invoke("Setup", "register", AnnotationConfigApplicationContext.class, context);
            context.refresh();
            // Creates a bean that is not created at the start.
            context.getBean(context.containsBean("scopedTarget.job") ? "scopedTarget.job" : "job");
            drive(context);
            if (!shape.call().isAtClose()) {
                seen.awaitBody();
            }
        } catch (Throwable e) {
            return e;
        }
        return seen.hasRun() ? null : new AssertionError("The body did not run");
    }

    private void configure(AnnotationConfigApplicationContext context, boolean locked) {
        if (shape.proxies() == Proxies.OF_CLASSES) {
            AopConfigUtils.registerAutoProxyCreatorIfNecessary(context);
            AopConfigUtils.forceAutoProxyCreatorToUseClassProxying(context);
        }
        if (shape.around() == Around.TRANSACTION || shape.call() == Call.TRANSACTIONAL_EVENT_LISTENER) {
            context.register(Database.class);
        }
        if (shape.around() == Around.ASYNC) {
            context.register(shape.proxies() == Proxies.OF_CLASSES ? AsyncClasses.class : AsyncInterfaces.class);
        }
        if (shape.call() == Call.SCHEDULED) {
            context.register(Scheduling.class);
        }
        if (locked) {
            context.getBeanFactory().registerSingleton("locks", client);
            context.register(LockInterceptionConfiguration.class);
        }
    }

    private void drive(ConfigurableApplicationContext context) throws Throwable {
        boolean fails = shape.signature() == Signature.THROWING;
        try {
            check(invoke("Driver", "call", ConfigurableApplicationContext.class, context));
        } catch (Seen.Expected expected) {
            if (!fails) {
                throw expected;
            }
            return;
        }
        if (fails) {
            throw new AssertionError("The caller did not see the exception of the body");
        }
    }

    private @Nullable Object invoke(String type, String method, Class<?> parameter, Object argument) throws Throwable {
        String packageName = type.equals("Driver") ? ShapeSource.driverPackage(shape) : shape.packageName();
        try {
            return ClassUtils.forName(packageName + "." + type, classes)
                    .getMethod(method, parameter)
                    .invoke(null, argument);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private void check(@Nullable Object result) throws Exception {
        Object value = result;
        if (result instanceof CompletableFuture<?> future) {
            value = future.get(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } else if (result instanceof Publisher<?> publisher) {
            value = Flux.from(publisher).blockLast();
        }
        boolean returns = (shape.call().isOutside() || shape.call().isEntered()) && shape.result() != Result.VOID;
        Object expected = shape.result() == Result.INT ? (Object) 1 : Seen.TEXT;
        if (returns && !expected.equals(value)) {
            throw new AssertionError("The caller received " + value);
        }
    }

    private boolean isRefusal(Throwable failure) {
        return causes(failure)
                .anyMatch(cause -> cause instanceof InvalidLockDeclarationException
                        && isNamedIn(String.valueOf(cause.getMessage())));
    }

    private static Stream<Throwable> causes(Throwable failure) {
        return Stream.iterate(failure, cause -> cause != null, Throwable::getCause);
    }

    /** Returns whether the message names a class of the shape. */
    private boolean isNamedIn(String message) {
        return message.contains(shape.packageName() + ".");
    }

    private static String messageOf(Throwable failure) {
        return causes(failure)
                .filter(InvalidLockDeclarationException.class::isInstance)
                .map(Throwable::getMessage)
                .findFirst()
                .orElseThrow();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync(proxyTargetClass = true)
    static class AsyncClasses {}

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    static class AsyncInterfaces {}

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    static class Scheduling {}
}
