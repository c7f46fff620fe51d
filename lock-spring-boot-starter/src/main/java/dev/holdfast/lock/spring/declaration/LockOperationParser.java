package dev.holdfast.lock.spring.declaration;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.LeaseSemaphore;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.OnBusy;
import dev.holdfast.lock.spring.OnLost;
import dev.holdfast.lock.spring.OnUnavailable;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringValueResolver;

/**
 * Parses an annotation, applies the configuration, and refuses declarations that cannot work.
 */
public record LockOperationParser(StringValueResolver placeholders, LockSettings.Source settings, BeanFactory beans) {

    /** In a lock's name, it stands for the simple name of the bean's class. */
    public static final String CLASS = "{class}";

    /** Parses the annotations that apply to a method; there may be none. */
    public List<LockOperation> parse(Method method, Class<?> targetClass) {
        List<LockOperation> operations = new ArrayList<>();
        for (MergedAnnotation<DistributedLock> annotation : LockAnnotations.of(method, targetClass)) {
            operations.add(parse(annotation, method, targetClass));
        }
        return operations;
    }

    private LockOperation parse(MergedAnnotation<DistributedLock> annotation, Method method, Class<?> targetClass) {
        LockAnnotation source = new LockAnnotation(annotation, method, placeholders, beans);
        String name = name(source, targetClass);
        KeyExpression key = key(source);
        String handler = source.text("fallback").strip();
        OnBusy onBusy = source.policy("onBusy", OnBusy.class);
        if (!handler.isEmpty() && onBusy != null) {
            throw source.invalid(
                    "'fallback' and 'onBusy = " + onBusy + "' contradict each other", "Leave one of them out");
        }
        LockSettings named = settings.named(name);
        // The configuration overrides the annotation, including its fallback.
        Fallback answer =
                handler.isEmpty() || named.onBusy() != null ? null : Fallback.of(handler, method, targetClass);
        LockSettings effective = named.or(declared(source, onBusy)).effective(defaults(method), answer != null);
        AcquireOptions options = options(source, name, effective);
        int permits = permits(source);
        LockKind kind = kind(source, permits);
        return new LockOperation(
                source, name, key, kind, permits, effective, options, source.is("awaitRelease"), answer);
    }

    /** Returns the settings of all locks. A pause of all of them is for scheduled methods. */
    private LockSettings defaults(Method method) {
        LockSettings all = settings.defaults();
        return Declaration.isScheduled(method) ? all : all.withoutPausable();
    }

    private String name(LockAnnotation source, Class<?> targetClass) {
        String given = source.text("name");
        String name = ofClass(source, targetClass, source.resolve("name", given).strip());
        if (name.isEmpty()) {
            throw source.invalid(
                    given.isEmpty() ? "the lock has no name" : "the name '" + given + "' is blank",
                    "Give it a name that stays the same when the method is renamed");
        }
        if (!KeyExpression.isFitForName(name)) {
            throw source.invalid(
                    "the name contains control characters", "Use a name that can be printed in a log and a metric");
        }
        return name;
    }

    /** Returns the name with the class of the bean in it, so that beans that inherit a method can have a lock each. */
    private static String ofClass(LockAnnotation source, Class<?> targetClass, String name) {
        if (!name.contains(CLASS)) {
            return name;
        }
        // The class of a JDK proxy or a lambda has another name in each process.
        boolean generated = Proxy.isProxyClass(targetClass) || ClassUtils.isLambdaClass(targetClass);
        Class<?> type = generated ? source.method().getDeclaringClass() : ClassUtils.getUserClass(targetClass);
        if (type.getSimpleName().isEmpty()) {
            throw source.invalid(
                    "the name '" + name + "' contains '" + CLASS + "', and " + type.getName() + " has no name",
                    "Make it a class with a name");
        }
        return name.replace(CLASS, type.getSimpleName());
    }

    private @Nullable KeyExpression key(LockAnnotation source) {
        boolean many = !source.text("keys").isEmpty();
        String attribute = many ? "keys" : "key";
        String text = source.text(attribute);
        if (many && !source.text("key").isEmpty()) {
            throw source.invalid("'key' and 'keys' are both given", "'key' is for one lock, 'keys' for one each");
        }
        if (many && source.kind() != LockKind.REENTRANT) {
            throw source.invalid("'keys' takes re-entrant locks only", "Leave 'kind' out, or use 'key'");
        }
        if (!text.isEmpty() && text.isBlank()) {
            throw source.invalid(
                    "'" + attribute + "' is blank",
                    "Leave it out for one lock, or write a SpEL expression such as #order.id");
        }
        return text.isEmpty() ? null : new KeyExpression(text, many, source.method());
    }

    private int permits(LockAnnotation source) {
        String text = source.resolved("permits").strip();
        if (text.isEmpty()) {
            return 0;
        }
        // A text with more than five digits is above the limit and might not fit an int, so it is not parsed.
        int permits = text.matches("\\d{1,5}") ? Integer.parseInt(text) : 0;
        if (permits < 1 || permits > LeaseSemaphore.MAX_PERMITS) {
            throw source.invalid("'permits' is '" + text + "'", "Use a number from 1 to " + LeaseSemaphore.MAX_PERMITS);
        }
        return permits;
    }

    /** Returns the kind of lock. A declaration with permits is a semaphore. */
    private static LockKind kind(LockAnnotation source, int permits) {
        LockKind kind = source.kind();
        boolean exclusive = kind == LockKind.REENTRANT || kind == LockKind.FAIR;
        if (permits == 0 ? kind.isSemaphore() : !exclusive && !kind.isSemaphore()) {
            throw source.invalid(
                    permits == 0 ? "a semaphore has no 'permits'" : "'permits' does not go with 'kind = " + kind + "'",
                    "Give 'permits' a number, and leave 'kind' out or use FAIR");
        }
        if (permits > 0 && !source.text("keys").isEmpty()) {
            throw source.invalid("'permits' and 'keys' are both given", "Use 'key': each key has its own permits");
        }
        return permits == 0 ? kind : kind.isFair() ? LockKind.FAIR_SEMAPHORE : LockKind.SEMAPHORE;
    }

    private LockSettings declared(LockAnnotation source, @Nullable OnBusy onBusy) {
        return new LockSettings(
                null,
                duration(source, "waitTime"),
                duration(source, "leaseTime"),
                duration(source, "minHold"),
                duration(source, "maxHold"),
                onBusy,
                source.policy("onUnavailable", OnUnavailable.class),
                source.policy("onLost", OnLost.class),
                null);
    }

    private static AcquireOptions options(LockAnnotation source, String name, LockSettings effective) {
        try {
            return effective.options();
        } catch (IllegalArgumentException e) {
            throw source.invalid(
                    String.valueOf(e.getMessage()),
                    "It comes from the annotation, or from the configuration of lock '" + name + "'");
        }
    }

    private @Nullable Duration duration(LockAnnotation source, String attribute) {
        String text = source.resolved(attribute).strip();
        try {
            return text.isEmpty() ? null : LockSettings.duration(text);
        } catch (IllegalArgumentException e) {
            throw source.invalid("'" + attribute + "': " + e.getMessage(), LockSettings.DURATIONS);
        }
    }
}
