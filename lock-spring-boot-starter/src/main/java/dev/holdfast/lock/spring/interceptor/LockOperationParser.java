package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.InvalidLockDeclarationException;
import dev.holdfast.lock.spring.OnBusy;
import dev.holdfast.lock.spring.OnLost;
import dev.holdfast.lock.spring.OnUnavailable;
import dev.holdfast.lock.spring.interceptor.Fallbacks.Fallback;
import java.lang.reflect.Method;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.expression.BeanResolver;
import org.springframework.util.StringValueResolver;

/** Parses an annotation, applies the configuration to it, and refuses what cannot work. */
final class LockOperationParser {

    private final StringValueResolver placeholders;
    private final LockSettings.Source settings;
    private final Fallbacks fallbacks;
    private final @Nullable BeanResolver beans;

    LockOperationParser(
            StringValueResolver placeholders,
            LockSettings.Source settings,
            Fallbacks fallbacks,
            @Nullable BeanResolver beans) {
        this.placeholders = placeholders;
        this.settings = settings;
        this.fallbacks = fallbacks;
        this.beans = beans;
    }

    LockOperation parse(MergedAnnotation<DistributedLock> annotation, Method method, Class<?> targetClass) {
        Source source = new Source(annotation, method);
        String name = name(source);
        KeyExpression key = key(source);
        LockKind kind = annotation.getEnum("kind", LockKind.class);
        String handler = annotation.getString("fallback");
        OnBusy onBusy = annotation.getEnum("onBusy", OnBusy.class);
        if (!handler.isBlank() && onBusy != OnBusy.DEFAULT) {
            throw source.invalid(
                    "'fallback' and 'onBusy = " + onBusy + "' contradict each other", "Leave one of them out");
        }
        LockTerms terms = terms(source, name, onBusy);
        Fallback answer = handler.isBlank() || terms.onBusyConfigured()
                ? null
                : fallbacks.find(handler.strip(), name, method, targetClass);
        return new LockOperation(
                method, name, key, kind, terms, answer, annotation.getBoolean("releaseAfterTransaction"));
    }

    private String name(Source source) {
        String given = source.annotation().getString("name");
        String name = resolve(source, "name", given).strip();
        if (name.isEmpty()) {
            throw source.invalid(
                    given.isEmpty() ? "the lock has no name" : "the name '" + given + "' is blank",
                    "Give it a name that stays the same when the method is renamed");
        }
        if (!KeyText.isFitForName(name)) {
            throw source.invalid(
                    "the name holds control characters", "Use a name that can be printed in a log and a metric");
        }
        return name;
    }

    private @Nullable KeyExpression key(Source source) {
        String key = source.annotation().getString("key");
        String keys = source.annotation().getString("keys");
        if (!key.isEmpty() && !keys.isEmpty()) {
            throw source.invalid("'key' and 'keys' are both given", "'key' is for one lock, 'keys' for one each");
        }
        if (!keys.isEmpty() && source.annotation().getEnum("kind", LockKind.class) != LockKind.REENTRANT) {
            throw source.invalid("'keys' takes re-entrant locks only", "Leave 'kind' out, or use 'key'");
        }
        String text = keys.isEmpty() ? key : keys;
        if (!text.isEmpty() && text.isBlank()) {
            throw source.invalid(
                    "'" + (keys.isEmpty() ? "key" : "keys") + "' is blank",
                    "Leave it out for one lock, or write a SpEL expression such as #order.id");
        }
        return text.isEmpty() ? null : new KeyExpression(text, !keys.isEmpty(), source.method(), beans);
    }

    private LockTerms terms(Source source, String name, OnBusy onBusy) {
        LockSettings declared = new LockSettings(
                null,
                duration(source, "waitTime"),
                duration(source, "leaseTime"),
                duration(source, "minHold"),
                duration(source, "maxHold"),
                onBusy,
                source.annotation().getEnum("onUnavailable", OnUnavailable.class),
                source.annotation().getEnum("onLost", OnLost.class));
        try {
            return LockTerms.of(settings.named(name), declared, settings.defaults());
        } catch (IllegalArgumentException e) {
            throw source.invalid(
                    String.valueOf(e.getMessage()),
                    "It comes from the annotation, or from the configuration of lock '" + name + "'");
        }
    }

    private @Nullable Duration duration(Source source, String attribute) {
        String given = source.annotation().getString(attribute);
        if (given.isEmpty()) {
            return null;
        }
        String text = resolve(source, attribute, given).strip();
        if (text.isEmpty()) {
            return null;
        }
        try {
            return DurationText.parse(text);
        } catch (IllegalArgumentException e) {
            throw source.invalid("'" + attribute + "': " + e.getMessage(), DurationText.FORMS);
        }
    }

    private String resolve(Source source, String attribute, String given) {
        try {
            String resolved = placeholders.resolveStringValue(given);
            if (resolved != null && !resolved.contains("${")) {
                return resolved;
            }
        } catch (IllegalArgumentException e) {
            throw source.invalid(
                    "'" + attribute + " = " + given + "' cannot be resolved: " + e.getMessage(),
                    "Define the property, or give a default after a colon");
        }
        throw source.invalid(
                "'" + attribute + " = " + given + "' holds a placeholder that nothing defines",
                "Define the property, or give a default after a colon");
    }

    private record Source(MergedAnnotation<DistributedLock> annotation, Method method) {

        InvalidLockDeclarationException invalid(String problem, String action) {
            return LockOperation.invalid(method, problem, action);
        }
    }
}
