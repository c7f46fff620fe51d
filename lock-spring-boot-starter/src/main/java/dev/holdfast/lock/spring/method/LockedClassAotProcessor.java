package dev.holdfast.lock.spring.method;

import java.lang.reflect.Executable;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.generate.GenerationContext;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.aot.BeanRegistrationCode;
import org.springframework.beans.factory.aot.BeanRegistrationCodeFragments;
import org.springframework.beans.factory.aot.BeanRegistrationCodeFragmentsDecorator;
import org.springframework.beans.factory.aot.InstanceSupplierCodeGenerator;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.beans.factory.support.RegisteredBean.InstantiationDescriptor;
import org.springframework.javapoet.CodeBlock;

/** Lets code that is generated ahead of time create objects of the subclass. Spring would generate code that creates those of the superclass. */
final class LockedClassAotProcessor implements BeanRegistrationAotProcessor {

    @Override
    public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
        return LockedObject.class.isAssignableFrom(bean.getBeanType().toClass())
                ? BeanRegistrationAotContribution.withCustomCodeFragments(code -> new Creation(code, bean))
                : null;
    }

    private static final class Creation extends BeanRegistrationCodeFragmentsDecorator {
        private final RegisteredBean bean;

        Creation(BeanRegistrationCodeFragments code, RegisteredBean bean) {
            super(code);
            this.bean = bean;
        }

        @Override
        public CodeBlock generateInstanceSupplierCode(
                GenerationContext context, BeanRegistrationCode code, boolean allowDirectSupplierShortcut) {
            Executable constructor = bean.resolveInstantiationDescriptor().executable();
            try {
                return new InstanceSupplierCodeGenerator(
                                context, code.getClassName(), code.getMethods(), allowDirectSupplierShortcut)
                        .generateCode(
                                bean,
                                new InstantiationDescriptor(
                                        bean.getBeanType().toClass().getConstructor(constructor.getParameterTypes())));
            } catch (NoSuchMethodException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
