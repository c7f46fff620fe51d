package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.spring.InvalidLockDeclarationException;
import dev.holdfast.lock.spring.InvalidLockKeyException;
import dev.holdfast.lock.spring.interceptor.KeyEvaluationContext.Parameters;
import dev.holdfast.lock.spring.interceptor.KeyEvaluationContext.Root;
import java.lang.reflect.Method;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.ExpressionException;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.ConstructorReference;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/** A key expression. It is parsed and checked against its method once, and evaluated for each call. */
final class KeyExpression {

    private static final SpelExpressionParser PARSER = new SpelExpressionParser();

    private final String text;
    private final Method method;
    private final SpelExpression expression;
    private final Parameters parameters;
    private final @Nullable BeanResolver beans;
    private final boolean many;

    KeyExpression(String text, boolean many, Method method, @Nullable BeanResolver beans) {
        this.text = text;
        this.many = many;
        this.method = method;
        this.beans = beans;
        this.parameters = new Parameters(method);
        this.expression = parse();
        check(expression.getAST());
    }

    private SpelExpression parse() {
        try {
            return PARSER.parseRaw(text);
        } catch (ParseException | IllegalStateException e) {
            throw invalid("does not parse: " + e.getMessage(), "It is a SpEL expression such as #order.id");
        }
    }

    private void check(SpelNode node) {
        if (node instanceof VariableReference variable) {
            checkVariable(variable.toStringAST().substring(1));
        } else if (node instanceof TypeReference || node instanceof ConstructorReference) {
            throw invalid("uses '" + node.toStringAST() + "'", "Types and constructors are not offered to keys");
        } else if (node instanceof BeanReference && beans == null) {
            throw invalid("refers to a bean", "Switch bean references on, or pass the value as an argument");
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            check(node.getChild(i));
        }
    }

    private void checkVariable(String name) {
        if (name.equals("root") || name.equals("this") || parameters.indexOf(name) >= 0) {
            return;
        }
        throw invalid(
                "names '#" + name + "', which is no argument of the method",
                parameters.named()
                        ? "Its arguments are " + parameters.names()
                        : "The class was compiled without -parameters, so that only " + parameters.names()
                                + " are known: switch it on, or use #p0");
    }

    private InvalidLockDeclarationException invalid(String problem, String action) {
        return LockOperation.invalid(method, "the key expression '" + text + "' " + problem, action);
    }

    /** The key or keys of one call, encoded for a lock's name, sorted, without duplicates. */
    List<String> evaluate(@Nullable Object target, @Nullable Object[] arguments) {
        Object value = valueOf(target, arguments);
        try {
            return many ? KeyText.ofMany(value) : List.of(KeyText.of(value));
        } catch (IllegalArgumentException e) {
            throw new InvalidLockKeyException(
                    LockOperation.signature(method), text, String.valueOf(e.getMessage()), null);
        }
    }

    private @Nullable Object valueOf(@Nullable Object target, @Nullable Object[] arguments) {
        try {
            return expression.getValue(
                    new KeyEvaluationContext(parameters, new Root(method, target, arguments), beans));
        } catch (ExpressionException e) {
            throw new InvalidLockKeyException(
                    LockOperation.signature(method), text, "could not be evaluated: " + e.getMessage(), e);
        }
    }

    @Override
    public String toString() {
        return text;
    }
}
