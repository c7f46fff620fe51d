package dev.holdfast.lock.spring.interceptor;

import java.lang.reflect.Method;
import java.util.List;
import org.jspecify.annotations.Nullable;
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
 * What a key's expression sees of one call: its arguments, and public properties and methods of what they hold. Read only; no types, no
 * constructors, and beans only where that is switched on.
 *
 * <p>The accessors are shared by all calls: they, and the expression itself, remember what they found by reflection, so that only the first
 * call looks anything up.
 */
final class KeyEvaluationContext implements EvaluationContext {

    private static final SimpleEvaluationContext SAFE = SimpleEvaluationContext.forPropertyAccessors(
                    DataBindingPropertyAccessor.forReadOnlyAccess())
            .withMethodResolvers(DataBindingMethodResolver.forInstanceMethodInvocation())
            .withAssignmentDisabled()
            .build();

    private final ParameterIndex parameters;
    private final @Nullable Object[] arguments;
    private final TypedValue root;
    private final @Nullable BeanResolver beans;

    KeyEvaluationContext(ParameterIndex parameters, Root root, @Nullable BeanResolver beans) {
        this.parameters = parameters;
        this.arguments = root.getArgs();
        this.root = new TypedValue(root);
        this.beans = beans;
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
        int index = parameters.of(name);
        return index < 0 ? null : arguments[index];
    }

    @Override
    public void setVariable(String name, @Nullable Object value) {
        throw new UnsupportedOperationException("A lock's key expression sets nothing: '" + name + "'");
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
