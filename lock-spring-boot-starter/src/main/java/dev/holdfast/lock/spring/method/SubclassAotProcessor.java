package dev.holdfast.lock.spring.method;

import dev.holdfast.lock.spring.declaration.LockAnnotations;
import java.lang.reflect.Executable;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.generate.GenerationContext;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.aot.BeanRegistrationCode;
import org.springframework.beans.factory.aot.BeanRegistrationCodeFragments;
import org.springframework.beans.factory.aot.BeanRegistrationCodeFragmentsDecorator;
import org.springframework.beans.factory.aot.InstanceSupplierCodeGenerator;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.beans.factory.support.RegisteredBean.InstantiationDescriptor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.javapoet.CodeBlock;

/**
 * Lets code that is generated ahead of time create objects of the subclass, also of Spring's proxy creator. Spring would generate code that creates
 * those of the superclass.
 */
final class SubclassAotProcessor implements BeanRegistrationAotProcessor {

    @Override
    public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
        RootBeanDefinition definition = bean.getMergedBeanDefinition();
        Class<?> type = bean.getBeanClass();
        Class<?> created = LockAnnotations.lockedMethods(type).isEmpty()
                ? ProxyCreators.created(type, bean.getBeanName())
                : SubclassedBeans.created(
                        definition, type, !SubclassedBeans.allowsCircularReferences(bean.getBeanFactory()));
        return created != type
                ? BeanRegistrationAotContribution.withCustomCodeFragments(code -> new Creation(code, bean, created))
                : null;
    }

    private static final class Creation extends BeanRegistrationCodeFragmentsDecorator {
        private final RegisteredBean bean;
        private final Class<?> created;

        Creation(BeanRegistrationCodeFragments code, RegisteredBean bean, Class<?> created) {
            super(code);
            this.bean = bean;
            this.created = created;
        }

        @Override
        public CodeBlock generateInstanceSupplierCode(
                GenerationContext context, BeanRegistrationCode code, boolean allowDirectSupplierShortcut) {
            Executable constructor = bean.resolveInstantiationDescriptor().executable();
            context.getRuntimeHints()
                    .reflection()
                    .registerType(
                            created, MemberCategory.INVOKE_DECLARED_METHODS, MemberCategory.ACCESS_DECLARED_FIELDS);
            try {
                return new InstanceSupplierCodeGenerator(
                                context, code.getClassName(), code.getMethods(), allowDirectSupplierShortcut)
                        .generateCode(
                                bean,
                                new InstantiationDescriptor(created.getConstructor(constructor.getParameterTypes())));
            } catch (NoSuchMethodException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
