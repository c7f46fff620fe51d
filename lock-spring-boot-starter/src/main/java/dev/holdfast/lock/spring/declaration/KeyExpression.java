package dev.holdfast.lock.spring.declaration;

import dev.holdfast.lock.LogText;
import dev.holdfast.lock.spring.InvalidLockDeclarationException;
import dev.holdfast.lock.spring.InvalidLockKeyException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
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
import org.springframework.util.ObjectUtils;

/**
 * A key expression, and the text for a lock's name that its value becomes. It is parsed and checked against its method once, and evaluated for each
 * call.
 */
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
            return many ? textsOf(value, composed) : List.of(textOf(value, composed));
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

    /**
     * Converts one value to text for a lock's name. Special characters are percent-encoded, the percent sign included, so that different values stay
     * different. Text that the caller passed is always accepted. Text that the expression composed is refused if it contains an object's address.
     */
    public static String textOf(@Nullable Object given, boolean composed) {
        Object value = ObjectUtils.unwrapOptional(given);
        if (value == null) {
            throw new IllegalArgumentException("is null: a lock needs a key that distinguishes it");
        }
        if (value instanceof Iterable<?>
                || value instanceof Map<?, ?>
                || value.getClass().isArray()) {
            throw new IllegalArgumentException("is a " + value.getClass().getTypeName()
                    + ": use 'keys' for a lock over each element, or join them into one text");
        }
        String text = value instanceof Enum<?> constant ? constant.name() : value.toString();
        if (text == null || text.isBlank()) {
            throw new IllegalArgumentException("is blank: a lock needs a key that distinguishes it");
        }
        boolean data = value instanceof CharSequence && !composed;
        if (!data && (hasAddress(text) || text.startsWith(value.getClass().getName() + "@"))) {
            throw new IllegalArgumentException("is a " + value.getClass().getTypeName()
                    + " whose text contains the address of an object without a toString(), so every call would see"
                    + " another key: use one of its properties");
        }
        return encode(text);
    }

    /** Returns whether a text contains the result of {@link Object#toString()}: the name of a class or an array, an at sign, and a hash. */
    private static boolean hasAddress(String text) {
        for (int at = text.indexOf('@'); at > 0; at = text.indexOf('@', at + 1)) {
            if (isFollowedByHash(text, at + 1) && isPrecededByClass(text, at)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether a hash begins at this index: 5 to 8 hexadecimal digits. Only one hash in 30,000 has fewer than five digits. */
    private static boolean isFollowedByHash(String text, int from) {
        int end = from;
        while (end < text.length() && "0123456789abcdef".indexOf(text.charAt(end)) >= 0) {
            end++;
        }
        boolean more = end < text.length()
                && (Character.isJavaIdentifierPart(text.charAt(end)) || ".-@".indexOf(text.charAt(end)) >= 0);
        return end - from >= 5 && end - from <= 8 && !more;
    }

    private static boolean isPrecededByClass(String text, int at) {
        int start = at;
        while (start > 0
                && (Character.isJavaIdentifierPart(text.charAt(start - 1))
                        || "./;[".indexOf(text.charAt(start - 1)) >= 0)) {
            start--;
        }
        String name = text.substring(start, at);
        return name.indexOf('.') >= 0 || name.matches("\\[+[ZBCSIJFD]");
    }

    private static List<String> textsOf(@Nullable Object given, boolean composed) {
        Object value = ObjectUtils.unwrapOptional(given);
        boolean isArray = value != null && value.getClass().isArray();
        Collection<?> elements = value instanceof Collection<?> several
                ? several
                : Arrays.asList(isArray ? ObjectUtils.toObjectArray(value) : new @Nullable Object[] {value});
        if (elements.isEmpty()) {
            throw new IllegalArgumentException("is empty: there is nothing to lock");
        }
        return elements.stream()
                .map(each -> textOf(each, composed))
                .distinct()
                .sorted()
                .toList();
    }

    /** Refuses a text that is not one line of 1 to {@code most} characters. */
    public static void checkLine(String what, String text, int most) {
        if (text.isBlank() || text.length() > most || !isFitForName(text)) {
            throw new IllegalArgumentException(
                    what + " must have 1 to " + most + " characters on one line, was '" + LogText.escape(text) + "'");
        }
    }

    public static boolean isFitForName(String name) {
        return name.codePoints().allMatch(KeyExpression::isPrintable);
    }

    private static boolean isPrintable(int point) {
        return !Character.isISOControl(point)
                && point != 0x2028
                && point != 0x2029
                && Character.getType(point) != Character.SURROGATE;
    }

    private static boolean isPlain(int point) {
        return point != '%' && point != '{' && point != '}' && isPrintable(point);
    }

    private static String encode(String text) {
        return text.codePoints().allMatch(KeyExpression::isPlain)
                ? text
                : text.codePoints().mapToObj(KeyExpression::encode).collect(Collectors.joining());
    }

    private static String encode(int point) {
        if (isPlain(point)) {
            return Character.toString(point);
        }
        if (Character.getType(point) == Character.SURROGATE) {
            // Half of a surrogate pair has no UTF-8. The letter "u" and four digits differ from every encoded byte
            // sequence.
            return String.format("%%u%04X", point);
        }
        byte[] units = Character.toString(point).getBytes(StandardCharsets.UTF_8);
        return HexFormat.of().withUpperCase().withPrefix("%").formatHex(units);
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
