package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.spring.call.CallConfiguration;
import dev.holdfast.lock.spring.check.CheckConfiguration;
import dev.holdfast.lock.spring.declaration.DeclaredLocks;
import dev.holdfast.lock.spring.declaration.LockSettings;
import dev.holdfast.lock.spring.result.ResultConfiguration;
import java.util.List;
import java.util.stream.StreamSupport;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionEvaluationReport;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportSelector;
import org.springframework.context.annotation.Role;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Enables {@code @DistributedLock} with all features, given a {@link LockClient}. Uses beans of type {@link LockSettings.Source} and {@link
 * DeclaredLocks.Check} if there are any.
 */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
@Import({
    CallConfiguration.class,
    ResultConfiguration.class,
    CheckConfiguration.class,
    LockInterceptionConfiguration.Features.class
})
public class LockInterceptionConfiguration {

    /**
     * Imports the features that are listed among the auto-configurations, so that they are there in a test's slice and without Spring Boot as well.
     * Leaves out those that the application excludes.
     */
    static final class Features implements ImportSelector {

        private static final String ROOMS = "dev.holdfast.lock.spring.";

        private final BeanFactory beans;
        private final ClassLoader loader;

        Features(BeanFactory beans, ClassLoader loader) {
            this.beans = beans;
            this.loader = loader;
        }

        @Override
        public String[] selectImports(AnnotationMetadata importing) {
            ConditionEvaluationReport report = ConditionEvaluationReport.find(beans);
            List<String> excluded = report == null ? List.of() : report.getExclusions();
            return StreamSupport.stream(
                            ImportCandidates.load(AutoConfiguration.class, loader)
                                    .spliterator(),
                            false)
                    .filter(name -> name.startsWith(ROOMS) && !name.startsWith(ROOMS + "boot."))
                    .filter(name -> !excluded.contains(name))
                    .toArray(String[]::new);
        }
    }
}
