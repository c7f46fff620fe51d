package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.LeaseSemaphore;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.InvalidLockDeclarationException;
import dev.holdfast.lock.spring.OnBusy;
import dev.holdfast.lock.spring.OnFailure;
import dev.holdfast.lock.spring.OnLost;
import dev.holdfast.lock.spring.OnUnavailable;
import dev.holdfast.lock.spring.RunOnce;
import dev.holdfast.lock.spring.interceptor.Fallbacks.Fallback;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.config.BeanExpressionContext;
import org.springframework.beans.factory.config.BeanExpressionResolver;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.expression.BeanResolver;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringValueResolver;

/**
 * Parses an annotation, applies the configuration, and refuses declarations that cannot work. Without a bean resolver, keys cannot refer to beans.
 */
record LockOperationParser(
        StringValueResolver placeholders,
        LockSettings.Source settings,
        Fallbacks fallbacks,
        @Nullable BeanResolver beans,
        CallHistory.All histories) {

    /** In a lock's name, it stands for the simple name of the bean's class. */
    static final String CLASS = "{class}";

    LockOperationParser(
            StringValueResolver placeholders,
            LockSettings.Source settings,
            Fallbacks fallbacks,
            @Nullable BeanResolver beans) {
        this(placeholders, settings, fallbacks, beans, new CallHistory.All());
    }

    LockOperationParser with(LockSettings.Source changed) {
        return new LockOperationParser(placeholders, changed, fallbacks, beans, histories);
    }

    LockOperation parse(MergedAnnotation<DistributedLock> annotation, Method method, Class<?> targetClass) {
        Source source = new Source(annotation, method);
        String name = name(source, targetClass);
        KeyExpression key = key(source);
        String handler = source.text("fallback").strip();
        OnBusy onBusy = annotation.getEnum("onBusy", OnBusy.class);
        if (!handler.isEmpty() && onBusy != OnBusy.DEFAULT) {
            throw source.invalid(
                    "'fallback' and 'onBusy = " + onBusy + "' contradict each other", "Leave one of them out");
        }
        LockSettings named = settings.named(name);
        // The configuration overrides the annotation, including its fallback.
        Fallback answer =
                handler.isEmpty() || named.onBusy() != null ? null : fallbacks.find(handler, name, method, targetClass);
        LockSettings all = ScheduledTicks.isScheduled(method)
                ? settings.defaults()
                : settings.defaults().withoutPauses();
        LockSettings effective = named.or(declared(source, onBusy)).effective(all, answer != null);
        AcquireOptions options = options(source, name, effective);
        int permits = permits(source);
        LockKind kind = kind(source, permits);
        Once once = once(source, kind);
        boolean afterTransaction = annotation.getBoolean("releaseAfterTransaction");
        CallHistory history = histories.of(method, name);
        return new LockOperation(
                method, name, key, kind, permits, effective, options, answer, once, afterTransaction, history);
    }

    private String name(Source source, Class<?> targetClass) {
        String given = source.text("name");
        String name =
                ofClass(source, targetClass, resolve(source, "name", given).strip());
        if (name.isEmpty()) {
            throw source.invalid(
                    given.isEmpty() ? "the lock has no name" : "the name '" + given + "' is blank",
                    "Give it a name that stays the same when the method is renamed");
        }
        if (!KeyText.isFitForName(name)) {
            throw source.invalid(
                    "the name contains control characters", "Use a name that can be printed in a log and a metric");
        }
        return name;
    }

    /** Returns the name with the class of the bean in it, so that beans that inherit a method can have a lock each. */
    private static String ofClass(Source source, Class<?> targetClass, String name) {
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

    private @Nullable KeyExpression key(Source source) {
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
        return text.isEmpty() ? null : new KeyExpression(text, many, source.method(), beans);
    }

    private int permits(Source source) {
        String text = resolve(source, "permits", source.text("permits")).strip();
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
    private static LockKind kind(Source source, int permits) {
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

    private @Nullable Once once(Source source, LockKind kind) {
        OnFailure onFailure = source.annotation().getEnum("onFailure", OnFailure.class);
        String per = runOncePer(source.annotation());
        if (per != null) {
            return new OncePerDeployment(per(source, per), onFailure != OnFailure.STOP);
        }
        if (source.annotation().getBoolean("oncePerTick")) {
            Ticks ticks = new ScheduledTicks(source.method(), text -> evaluated(resolve(source, "@Scheduled", text)))
                    .read(kind, !source.text("keys").isEmpty());
            return new OncePerTick(ticks, onFailure == OnFailure.RETRY);
        }
        if (onFailure != OnFailure.DEFAULT) {
            throw source.invalid(
                    "'onFailure = " + onFailure + "' means nothing here: every call of the method runs",
                    "Leave it out, add 'oncePerTick' to a @Scheduled method, or use @RunOnce");
        }
        return null;
    }

    /** Returns the value of a text that may be an expression, as Spring evaluates a schedule. */
    private String evaluated(String text) {
        if (!text.contains("#{") || !(fallbacks.beans() instanceof ConfigurableBeanFactory known)) {
            return text;
        }
        BeanExpressionResolver expressions = known.getBeanExpressionResolver();
        if (expressions == null) {
            return text;
        }
        try {
            Object value = expressions.evaluate(text, new BeanExpressionContext(known, null));
            return value == null ? "" : value.toString();
        } catch (BeansException e) {
            throw new IllegalArgumentException(
                    "'" + text + "': "
                            + NestedExceptionUtils.getMostSpecificCause(e).getMessage(),
                    e);
        }
    }

    /** Returns what {@link RunOnce} says, if the lock comes from it; else null. */
    private static @Nullable String runOncePer(MergedAnnotation<?> annotation) {
        MergedAnnotation<?> from = annotation.getMetaSource();
        return from != null && from.getType() == RunOnce.class ? from.getString("per") : null;
    }

    private String per(Source source, String given) {
        String per = resolve(source, "per", given).strip();
        if (per.isEmpty()) {
            throw source.invalid(
                    "'per = " + given + "' is empty, so every deployment would be the same",
                    "Give it what changes with each deployment, such as a commit or a version: per = \"${git.commit.id}\"");
        }
        if (per.startsWith("@") && per.endsWith("@")) {
            throw source.invalid(
                    "'per' is '" + per + "', which the build has not replaced, so every deployment would be the same",
                    "Let the build filter the file that the property comes from");
        }
        if (per.matches("(?s).*\\s.*")
                || !KeyText.isFitForName(per)
                || per.getBytes(StandardCharsets.UTF_8).length > OncePerDeployment.LONGEST_PER) {
            throw source.invalid(
                    "'per' is '" + LogText.escape(per) + "'",
                    "Use at most " + OncePerDeployment.LONGEST_PER + " bytes without blanks or control characters");
        }
        return per;
    }

    private LockSettings declared(Source source, OnBusy onBusy) {
        return new LockSettings(
                null,
                duration(source, "waitTime"),
                duration(source, "leaseTime"),
                duration(source, "minHold"),
                duration(source, "maxHold"),
                onBusy,
                source.annotation().getEnum("onUnavailable", OnUnavailable.class),
                source.annotation().getEnum("onLost", OnLost.class),
                null,
                null);
    }

    private static AcquireOptions options(Source source, String name, LockSettings effective) {
        try {
            return effective.options();
        } catch (IllegalArgumentException e) {
            throw source.invalid(
                    String.valueOf(e.getMessage()),
                    "It comes from the annotation, or from the configuration of lock '" + name + "'");
        }
    }

    private @Nullable Duration duration(Source source, String attribute) {
        String text = resolve(source, attribute, source.text(attribute)).strip();
        try {
            return text.isEmpty() ? null : LockSettings.duration(text);
        } catch (IllegalArgumentException e) {
            throw source.invalid("'" + attribute + "': " + e.getMessage(), LockSettings.DURATIONS);
        }
    }

    private String resolve(Source source, String attribute, String given) {
        String problem = "it contains a placeholder that is not defined";
        try {
            String resolved = placeholders.resolveStringValue(given);
            if (resolved != null && !resolved.contains("${")) {
                return resolved;
            }
        } catch (IllegalArgumentException e) {
            problem = String.valueOf(e.getMessage());
        }
        throw source.invalid(
                "'" + attribute + " = " + given + "' cannot be resolved: " + problem,
                "Define the property, or give a default after a colon");
    }

    private record Source(MergedAnnotation<DistributedLock> annotation, Method method) {
        String text(String attribute) {
            return annotation.getString(attribute);
        }

        LockKind kind() {
            return annotation.getEnum("kind", LockKind.class);
        }

        InvalidLockDeclarationException invalid(String problem, String action) {
            return Declaration.invalid(method, problem, action);
        }
    }
}
