package dev.holdfast.lock.spring.interceptor;

import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.ConstructorResolver;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.MethodResolver;
import org.springframework.expression.OperatorOverloader;
import org.springframework.expression.PropertyAccessor;
import org.springframework.expression.TypeComparator;
import org.springframework.expression.TypeConverter;
import org.springframework.expression.TypeLocator;
import org.springframework.expression.TypedValue;
import org.springframework.expression.spel.support.DataBindingMethodResolver;
import org.springframework.expression.spel.support.DataBindingPropertyAccessor;
import org.springframework.expression.spel.support.SimpleEvaluationContext;

/**
 * What a key expression can read of one call: its arguments, and their public properties and methods. It cannot assign, or use types and
 * constructors. It can use beans only if bean references are enabled.
 *
 * <p>All calls share the accessors. They and the expression cache their reflective lookups, so that only the first call pays for them.
 */
final class KeyEvaluationContext implements EvaluationContext {

    private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

    private static final SimpleEvaluationContext SAFE = SimpleEvaluationContext.forPropertyAccessors(
                    DataBindingPropertyAccessor.forReadOnlyAccess())
            .withMethodResolvers(DataBindingMethodResolver.forInstanceMethodInvocation())
            .withAssignmentDisabled()
            .build();

    private final Parameters parameters;
    private final @Nullable Object[] arguments;
    private final TypedValue root;
    private final @Nullable BeanResolver beans;

    KeyEvaluationContext(Parameters parameters, Root root, @Nullable BeanResolver beans) {
        this.parameters = parameters;
        this.arguments = root.getArgs();
        this.root = new TypedValue(root);
        this.beans = beans;
    }

    /** The parameters of a method by name: {@code p0}, {@code a0}, and their own names if the compiler kept them. */
    static final class Parameters {

        private final Map<String, Integer> byName = new HashMap<>();
        private final boolean named;

        Parameters(Method method) {
            @Nullable String @Nullable [] names = NAMES.getParameterNames(method);
            this.named = names != null || method.getParameterCount() == 0;
            for (int i = 0; i < method.getParameterCount(); i++) {
                byName.put("p" + i, i);
                byName.put("a" + i, i);
                String name = names == null ? null : names[i];
                if (name != null) {
                    byName.put(name, i);
                }
            }
        }

        /** The position of a parameter, -1 if the method has none of that name. */
        int indexOf(String name) {
            return byName.getOrDefault(name, -1);
        }

        Set<String> names() {
            return new TreeSet<>(byName.keySet());
        }

        /** Whether the compiler kept the names of the parameters. */
        boolean named() {
            return named;
        }
    }

    /** {@code #root}: the call itself. */
    static final class Root {

        private final Method method;
        private final @Nullable Object target;
        private final @Nullable Object[] args;

        Root(Method method, @Nullable Object target, @Nullable Object[] args) {
            this.method = method;
            this.target = target;
            this.args = args;
        }

        public Method getMethod() {
            return method;
        }

        /** The object behind the proxy. */
        public @Nullable Object getTarget() {
            return target;
        }

        public @Nullable Object[] getArgs() {
            return args;
        }
    }

    @Override
    public TypedValue getRootObject() {
        return root;
    }

    @Override
    public @Nullable Object lookupVariable(String name) {
        int index = parameters.indexOf(name);
        return index < 0 ? null : arguments[index];
    }

    @Override
    public void setVariable(String name, @Nullable Object value) {
        throw new UnsupportedOperationException("A lock's key expression cannot set '" + name + "'");
    }

    @Override
    public boolean isAssignmentEnabled() {
        return false;
    }

    @Override
    public List<PropertyAccessor> getPropertyAccessors() {
        return SAFE.getPropertyAccessors();
    }

    @Override
    public List<MethodResolver> getMethodResolvers() {
        return SAFE.getMethodResolvers();
    }

    @Override
    public List<ConstructorResolver> getConstructorResolvers() {
        return SAFE.getConstructorResolvers();
    }

    @Override
    public @Nullable BeanResolver getBeanResolver() {
        return beans;
    }

    @Override
    public TypeLocator getTypeLocator() {
        return SAFE.getTypeLocator();
    }

    @Override
    public TypeConverter getTypeConverter() {
        return SAFE.getTypeConverter();
    }

    @Override
    public TypeComparator getTypeComparator() {
        return SAFE.getTypeComparator();
    }

    @Override
    public OperatorOverloader getOperatorOverloader() {
        return SAFE.getOperatorOverloader();
    }
}
