package dev.holdfast.lock.spring.fencing;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** What this module may know of the others. */
@AnalyzeClasses(packages = ArchitectureTest.FENCING, importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

    static final String FENCING = "dev.holdfast.lock.spring.fencing";

    @ArchTest
    static final ArchRule usesOnlyWhatEachFeatureUses = noClasses()
            .should()
            .dependOnClassesThat(resideInAPackage("dev.holdfast..")
                    .and(not(resideInAnyPackage(
                            FENCING,
                            "dev.holdfast.lock",
                            "dev.holdfast.lock.spring",
                            "dev.holdfast.lock.spring.call",
                            "dev.holdfast.lock.spring.declaration"))))
            .because("a feature knows the API, calls and declarations, and no other feature");
}
