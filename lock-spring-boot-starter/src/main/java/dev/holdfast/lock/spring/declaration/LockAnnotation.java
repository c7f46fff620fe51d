package dev.holdfast.lock.spring.declaration;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.InvalidLockDeclarationException;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.EmbeddedValueResolver;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.util.StringValueResolver;

/** One annotation of a method, as it is written. A feature reads its own attributes from it. */
public record LockAnnotation(
        MergedAnnotation<DistributedLock> annotation,
        Method method,
        StringValueResolver placeholders,
        BeanFactory beans) {

    /** Returns the annotation that the lock comes from, if it is of a type; else null. */
    public <A extends Annotation> @Nullable MergedAnnotation<A> from(Class<A> type) {
        MergedAnnotation<?> from = annotation.getMetaSource();
        while (from != null && from.getType() != type) {
            from = from.getMetaSource();
        }
        return from == null ? null : found(from);
    }

    @SuppressWarnings("unchecked") // The caller has compared the type.
    private static <A extends Annotation> MergedAnnotation<A> found(MergedAnnotation<?> ofType) {
        return (MergedAnnotation<A>) ofType;
    }

    /** Returns the text of an attribute as it is written. */
    public String text(String attribute) {
        return annotation.getString(attribute);
    }

    /** Returns the text of an attribute without placeholders. */
    String resolved(String attribute) {
        return resolve(attribute, text(attribute));
    }

    public boolean is(String attribute) {
        return annotation.getBoolean(attribute);
    }

    /** Returns what a text means as an expression over each call. */
    public KeyExpression expression(String text) {
        return new KeyExpression(text, false, method);
    }

    /** Returns the constant of an attribute that may be left out; null if it is. An annotation has no other type of attribute for that than an array. */
    <E extends Enum<E>> @Nullable E policy(String attribute, Class<E> type) {
        E[] given = annotation.getEnumArray(attribute, type);
        if (given.length > 1) {
            throw invalid("'" + attribute + "' has several values", "Leave one of them");
        }
        return given.length == 0 ? null : given[0];
    }

    LockKind kind() {
        return annotation.getEnum("kind", LockKind.class);
    }

    /** Replaces placeholders in a text that an attribute has. */
    public String resolve(String attribute, String given) {
        String problem = "it contains a placeholder that is not defined";
        try {
            String resolved = placeholders.resolveStringValue(given);
            if (resolved != null && !resolved.contains("${")) {
                return resolved;
            }
        } catch (IllegalArgumentException e) {
            problem = String.valueOf(e.getMessage());
        }
        throw invalid(
                "'" + attribute + " = " + given + "' cannot be resolved: " + problem,
                "Define the property, or give a default after a colon");
    }

    /** Replaces placeholders, and evaluates what may be an expression, as Spring does in a schedule. */
    public String evaluated(String attribute, String given) {
        String text = resolve(attribute, given);
        if (!text.contains("#{") || !(beans instanceof ConfigurableBeanFactory known)) {
            return text;
        }
        try {
            String value = new EmbeddedValueResolver(known).resolveStringValue(text);
            return value == null ? "" : value;
        } catch (BeansException e) {
            throw new IllegalArgumentException(
                    "'" + text + "': "
                            + NestedExceptionUtils.getMostSpecificCause(e).getMessage(),
                    e);
        }
    }

    public InvalidLockDeclarationException invalid(String problem, String action) {
        return Declaration.invalid(method, problem, action);
    }
}
