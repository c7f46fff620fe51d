package dev.holdfast.lock.test.spring;

import dev.holdfast.lock.spring.InvalidLockDeclarationException;
import dev.holdfast.lock.spring.boot.LockInterceptionConfiguration;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.test.context.ConfigDataApplicationContextInitializer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.NestedExceptionUtils;

/** The checks of the application's startup, on definitions of beans that are never created. */
final class DeclaredLockChecks {

    private DeclaredLockChecks() {}

    /** Returns the first problem of each class, and the first one that the other classes have with each other. */
    static List<String> findings(List<Class<?>> locked) {
        List<Class<?>> types = locked.stream()
                .filter(type -> type.isInterface() || !Modifier.isAbstract(type.getModifiers()))
                .toList();
        if (types.isEmpty() || problem(types).isEmpty()) {
            return List.of();
        }
        List<String> findings = new ArrayList<>();
        List<Class<?>> sound = new ArrayList<>();
        for (Class<?> type : types) {
            problem(List.of(type))
                    .ifPresentOrElse(
                            problem -> {
                                if (!dependsOnTheApplication(problem)) {
                                    findings.add(String.valueOf(problem.getMessage()));
                                }
                            },
                            () -> sound.add(type));
        }
        problem(sound).ifPresent(problem -> findings.add(String.valueOf(problem.getMessage())));
        return findings;
    }

    private static Optional<InvalidLockDeclarationException> problem(List<Class<?>> types) {
        try (Definitions context = new Definitions()) {
            new ConfigDataApplicationContextInitializer().initialize(context);
            context.register(LockInterceptionConfiguration.class);
            for (Class<?> type : types) {
                RootBeanDefinition definition = new RootBeanDefinition(type);
                definition.setLazyInit(true);
                context.registerBeanDefinition(type.getName(), definition);
            }
            context.refresh();
            RuntimeException refusal = context.refusal;
            if (refusal == null) {
                return Optional.empty();
            }
            if (NestedExceptionUtils.getMostSpecificCause(refusal) instanceof InvalidLockDeclarationException problem) {
                return Optional.of(problem);
            }
            throw refusal;
        }
    }

    /** Keeps the refusal of the startup to itself. Spring would log it as a warning, once for each context that meets it. */
    private static final class Definitions extends AnnotationConfigApplicationContext {
        private @Nullable RuntimeException refusal;

        @Override
        protected void finishBeanFactoryInitialization(ConfigurableListableBeanFactory beans) {
            try {
                super.finishBeanFactoryInitialization(beans);
            } catch (RuntimeException e) {
                refusal = e;
            }
        }

        @Override
        protected void finishRefresh() {
            if (refusal == null) {
                super.finishRefresh();
            }
        }
    }

    /** Returns whether only the application knows if it is a problem, because it defines properties and beans that are not known here. */
    private static boolean dependsOnTheApplication(InvalidLockDeclarationException problem) {
        return problem.description().contains("cannot be resolved")
                || problem.description().contains("names no bean");
    }
}
