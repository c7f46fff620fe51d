package dev.holdfast.rewrite;

import java.time.DateTimeException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.openrewrite.java.MethodMatcher;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.Statement;
import org.openrewrite.java.tree.TypeUtils;

/** The names of ShedLock's API, and how it reads them. */
final class ShedLock {

    static final String PACKAGE = "net.javacrumbs.shedlock.";
    static final String PROVIDERS = PACKAGE + "provider.";
    static final String PROVIDER = PACKAGE + "core.LockProvider";
    static final String LOCK = PACKAGE + "spring.annotation.SchedulerLock";
    static final String ENABLE = PACKAGE + "spring.annotation.EnableSchedulerLock";
    static final String CHOSEN_PROVIDER = PACKAGE + "spring.annotation.LockProviderToUse";
    static final String ASSERT = PACKAGE + "core.LockAssert";
    static final String EXTENDER = PACKAGE + "core.LockExtender";
    static final String HOLDFAST_PROVIDER = "dev.holdfast.lock.shedlock.HoldfastLockProvider";

    static final MethodMatcher ASSERT_LOCKED = new MethodMatcher(ASSERT + " assertLocked()");
    static final MethodMatcher EXTEND =
            new MethodMatcher(EXTENDER + " extendActiveLock(java.time.Duration, java.time.Duration)");
    static final MethodMatcher EXECUTE =
            new MethodMatcher(PACKAGE + "core.LockingTaskExecutor executeWithLock(..)", true);
    static final MethodMatcher ASSERTS_PASS = new MethodMatcher(ASSERT + ".TestHelper makeAllAssertsPass(boolean)");

    static final String BEAN = "org.springframework.context.annotation.Bean";
    private static final Pattern SIMPLE = Pattern.compile("([+-]?\\d+)([a-zA-Z]{0,2})");

    private ShedLock() {}

    static boolean isOfShedLock(@Nullable JavaType type) {
        return type instanceof JavaType.FullyQualified named
                && named.getFullyQualifiedName().startsWith(PACKAGE);
    }

    static boolean isOfProvider(@Nullable JavaType type) {
        return type instanceof JavaType.FullyQualified named
                && named.getFullyQualifiedName().startsWith(PROVIDERS);
    }

    /** {@return whether an expression creates one of ShedLock's own providers} */
    static boolean createsProvider(J.NewClass created) {
        return isOfProvider(created.getType()) && TypeUtils.isAssignableTo(PROVIDER, created.getType());
    }

    static boolean isBeanMethod(J.MethodDeclaration method) {
        return Trees.find(method.getLeadingAnnotations(), BEAN) != null;
    }

    /** {@return whether a method is a bean that the adapter's auto-configuration has too: nothing but Holdfast's provider} */
    static boolean isOnlyHoldfastProvider(J.MethodDeclaration method) {
        if (!isBeanMethod(method) || method.getBody() == null) {
            return false;
        }
        List<Statement> statements = method.getBody().getStatements();
        return statements.size() == 1
                && statements.get(0) instanceof J.Return result
                && result.getExpression() instanceof J.NewClass created
                && TypeUtils.isOfClassType(created.getType(), HOLDFAST_PROVIDER);
    }

    /** {@return a duration as ShedLock reads it, null if it is no literal or holds a placeholder} */
    static @Nullable Duration duration(@Nullable Expression expression) {
        String text = Trees.literal(expression);
        if (text == null) {
            return null;
        }
        try {
            if (text.matches("[+-]?P.*")) {
                return Duration.parse(text);
            }
            Matcher simple = SIMPLE.matcher(text);
            return simple.matches() ? duration(Long.parseLong(simple.group(1)), simple.group(2)) : null;
        } catch (DateTimeException | ArithmeticException | NumberFormatException e) {
            return null;
        }
    }

    private static @Nullable Duration duration(long amount, String unit) {
        return switch (unit.toLowerCase(Locale.ROOT)) {
            case "ns" -> Duration.ofNanos(amount);
            case "us" -> Duration.ofNanos(Math.multiplyExact(amount, 1_000L));
            case "", "ms" -> Duration.ofMillis(amount);
            case "s" -> Duration.ofSeconds(amount);
            case "m" -> Duration.ofMinutes(amount);
            case "h" -> Duration.ofHours(amount);
            case "d" -> Duration.ofDays(amount);
            default -> null;
        };
    }

    /** {@return the same duration for Holdfast, which refuses a number without a unit} */
    static Expression forHoldfast(Expression duration) {
        String text = Trees.literal(duration);
        return text != null && text.matches("[+-]?\\d+") ? Trees.text(text + "ms") : duration;
    }
}
