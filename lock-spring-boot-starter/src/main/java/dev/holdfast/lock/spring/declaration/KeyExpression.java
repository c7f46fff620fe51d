package dev.holdfast.lock.spring.declaration;

import dev.holdfast.lock.spring.InvalidLockDeclarationException;
import dev.holdfast.lock.spring.InvalidLockKeyException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.ExpressionException;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.ConstructorReference;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.DataBindingMethodResolver;
import org.springframework.expression.spel.support.DataBindingPropertyAccessor;
import org.springframework.expression.spel.support.SimpleEvaluationContext;

/** A key expression. It is parsed and checked against its method once, and evaluated for each call. */
public final class KeyExpression {

    private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

    private final String text;
    private final Method method;
    private final SpelExpression expression;
    private final boolean many;
    private boolean composed;
    private boolean ofTarget;

    KeyExpression(String text, boolean many, Method method) {
        this.text = text;
        this.many = many;
        this.method = method;
        try {
            this.expression = new SpelExpressionParser().parseRaw(text);
        } catch (ParseException | IllegalStateException e) {
            throw invalid("does not parse: " + e.getMessage(), "It is a SpEL expression such as #order.id");
        }
        check(expression.getAST());
    }

    private void check(SpelNode node) {
        if (node instanceof VariableReference variable) {
            checkVariable(variable.toStringAST().substring(1));
        } else if (node instanceof TypeReference || node instanceof ConstructorReference) {
            throw invalid("uses '" + node.toStringAST() + "'", "Keys cannot use types and constructors");
        } else if (node instanceof BeanReference) {
            throw invalid("refers to a bean", "Pass the value as an argument");
        }
        ofTarget |= node.toStringAST().matches("target(\\(\\))?");
        composed |= node instanceof OpPlus
                || (node instanceof MethodReference call && call.getName().equals("toString"));
        for (int i = 0; i < node.getChildCount(); i++) {
            check(node.getChild(i));
        }
    }

    private void checkVariable(String name) {
        var own = NAMES.getParameterNames(method);
        List<String> positions = new ArrayList<>();
        for (int i = 0; i < method.getParameterCount(); i++) {
            positions.add("#p" + i);
        }
        List<String> names = own == null
                ? List.of()
                : Arrays.stream(own).map(each -> "#" + each).toList();
        String variable = "#" + name;
        if (!names.contains(variable)
                && !positions.contains(variable.replaceFirst("^#a", "#p"))
                && !name.equals("root")
                && !name.equals("this")) {
            throw invalid("uses '" + variable + "', which is not a parameter of the method", action(names, positions));
        }
    }

    private static String action(List<String> names, List<String> positions) {
        if (positions.isEmpty()) {
            return "The method has no parameters";
        }
        return !names.isEmpty()
                ? "Use " + String.join(" or ", names)
                : "The class was compiled without -parameters: switch it on, or use " + String.join(" or ", positions);
    }

    private InvalidLockDeclarationException invalid(String problem, String action) {
        return Declaration.invalid(method, "the key expression '" + text + "' " + problem, action);
    }

    /** Returns whether the key may differ for two beans that are called in the same way. */
    public boolean isOfTarget() {
        return ofTarget;
    }

    /** Returns the value for one call. */
    public @Nullable Object value(@Nullable Object target, @Nullable Object[] arguments) {
        try {
            return expression.getValue(new Context(new Root(method, target, arguments)));
        } catch (ExpressionException e) {
            throw refused("could not be evaluated: " + e.getMessage(), e);
        }
    }

    /** Returns the key or keys of one call, encoded for a lock's name, sorted, without duplicates. */
    List<String> evaluate(@Nullable Object target, @Nullable Object[] arguments) {
        try {
            Object value = value(target, arguments);
            return many ? KeyText.ofMany(value, composed) : List.of(KeyText.of(value, composed));
        } catch (IllegalArgumentException e) {
            throw refused(String.valueOf(e.getMessage()), e);
        }
    }

    private InvalidLockKeyException refused(String problem, RuntimeException cause) {
        return new InvalidLockKeyException(Declaration.signature(method), text, problem, cause);
    }

    @Override
    public String toString() {
        return text;
    }

    /** {@code #root}: the call itself. The target is the object behind the proxy. Instances are never compared. */
    @SuppressWarnings("ArrayRecordComponent")
    record Root(
            Method method,
            @Nullable Object target,
            @Nullable Object[] args) {}

    /** Gives an expression access to a call's arguments and their public members. All calls share the accessors, which cache lookups. */
    private static final class Context extends MethodBasedEvaluationContext {
        private static final SimpleEvaluationContext SAFE = SimpleEvaluationContext.forPropertyAccessors(
                        DataBindingPropertyAccessor.forReadOnlyAccess())
                .withMethodResolvers(DataBindingMethodResolver.forInstanceMethodInvocation())
                .build();

        /** Creates the context of one call. An argument may be null, although the superclass declares otherwise; hence the suppression. */
        @SuppressWarnings("NullAway")
        Context(Root call) {
            super(call, call.method(), call.args(), NAMES);
            setPropertyAccessors(SAFE.getPropertyAccessors());
            setMethodResolvers(SAFE.getMethodResolvers());
            setConstructorResolvers(List.of());
            setTypeLocator(SAFE.getTypeLocator());
        }

        @Override
        public boolean isAssignmentEnabled() {
            return false;
        }
    }
}
