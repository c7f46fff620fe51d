package dev.holdfast.rewrite;

import java.time.DateTimeException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;

/** What is known of a lease, which is a number and a unit in Redisson. A number that is not positive means a lease that is renewed. */
enum RedissonLease {
    FIXED,
    RENEWED,
    /** Only the running application knows it, and it can be asked twice. */
    UNKNOWN,
    /** Holdfast has no such lease, or it cannot be asked twice. */
    REFUSED;

    private static final Duration SHORTEST = Duration.ofMillis(10);
    private static final Duration LONGEST = Duration.ofHours(24);

    static RedissonLease of(Expression amount, Expression unit, Map<String, Long> constants) {
        Long number = number(amount, constants);
        if (number == null) {
            return isRepeatable(amount) && isRepeatable(unit) ? UNKNOWN : REFUSED;
        }
        if (number <= 0) {
            return RENEWED;
        }
        TimeUnit known = unit(unit);
        if (known == null) {
            return UNKNOWN;
        }
        try {
            Duration lease = Duration.of(number, known.toChronoUnit());
            return lease.compareTo(SHORTEST) < 0 || lease.compareTo(LONGEST) > 0 ? REFUSED : FIXED;
        } catch (DateTimeException | ArithmeticException e) {
            return REFUSED;
        }
    }

    /** {@return a unit that is written as a constant, null if it is a variable} */
    static @Nullable TimeUnit unit(Expression unit) {
        String name = unit instanceof J.FieldAccess access
                ? access.getSimpleName()
                : unit instanceof J.Identifier identifier ? identifier.getSimpleName() : "";
        for (TimeUnit each : TimeUnit.values()) {
            if (each.name().equals(name)) {
                return each;
            }
        }
        return null;
    }

    /** {@return the numbers that a file names as constants} */
    static Map<String, Long> constants(J.CompilationUnit unit) {
        Map<String, Long> constants = new HashMap<>();
        new JavaIsoVisitor<Map<String, Long>>() {
            @Override
            public J.VariableDeclarations visitVariableDeclarations(
                    J.VariableDeclarations declared, Map<String, Long> found) {
                if (declared.hasModifier(J.Modifier.Type.Static) && declared.hasModifier(J.Modifier.Type.Final)) {
                    for (J.VariableDeclarations.NamedVariable each : declared.getVariables()) {
                        Long number = each.getInitializer() == null ? null : number(each.getInitializer(), found);
                        if (number != null) {
                            found.put(each.getSimpleName(), number);
                        }
                    }
                }
                return super.visitVariableDeclarations(declared, found);
            }
        }.visit(unit, constants);
        return constants;
    }

    private static @Nullable Long number(Expression expression, Map<String, Long> constants) {
        if (expression instanceof J.Identifier name
                && name.getFieldType() != null
                && name.getFieldType().getOwner() instanceof JavaType.Class) {
            return constants.get(name.getSimpleName());
        }
        if (expression instanceof J.Parentheses<?> parentheses && parentheses.getTree() instanceof Expression inner) {
            return number(inner, constants);
        }
        if (expression instanceof J.Binary product && product.getOperator() == J.Binary.Type.Multiplication) {
            Long left = number(product.getLeft(), constants);
            Long right = number(product.getRight(), constants);
            return left == null || right == null ? null : Long.valueOf(left * right);
        }
        return MoveAnnotation.number(expression);
    }

    /** Whether an expression may be evaluated twice: names, getters, and attributes of annotations. */
    private static boolean isRepeatable(@Nullable Expression expression) {
        if (expression instanceof J.MethodInvocation call) {
            boolean onlyAnswers = call.getSimpleName().startsWith("get")
                    || (call.getMethodType() != null
                            && call.getMethodType().getDeclaringType().getKind()
                                    == JavaType.FullyQualified.Kind.Annotation);
            return onlyAnswers
                    && call.getArguments().stream().allMatch(J.Empty.class::isInstance)
                    && isRepeatable(call.getSelect());
        }
        return expression == null
                || expression instanceof J.Identifier
                || expression instanceof J.Literal
                || (expression instanceof J.FieldAccess access && isRepeatable(access.getTarget()));
    }
}
