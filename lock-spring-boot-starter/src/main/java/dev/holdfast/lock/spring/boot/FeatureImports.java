package dev.holdfast.lock.spring.boot;

import java.util.List;
import java.util.stream.StreamSupport;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionEvaluationReport;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.context.annotation.ImportSelector;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Imports the features that are listed among the auto-configurations, so that they are there in a test's slice and without Spring Boot as well.
 * Leaves out those that the application excludes.
 */
final class FeatureImports implements ImportSelector {

    private static final String ROOMS = "dev.holdfast.lock.spring.";

    private final BeanFactory beans;
    private final ClassLoader loader;

    FeatureImports(BeanFactory beans, ClassLoader loader) {
        this.beans = beans;
        this.loader = loader;
    }

    @Override
    public String[] selectImports(AnnotationMetadata importing) {
        ConditionEvaluationReport report = ConditionEvaluationReport.find(beans);
        List<String> excluded = report == null ? List.of() : report.getExclusions();
        return StreamSupport.stream(
                        ImportCandidates.load(AutoConfiguration.class, loader).spliterator(), false)
                .filter(name -> name.startsWith(ROOMS) && !name.startsWith(ROOMS + "boot."))
                .filter(name -> !excluded.contains(name))
                .toArray(String[]::new);
    }
}
