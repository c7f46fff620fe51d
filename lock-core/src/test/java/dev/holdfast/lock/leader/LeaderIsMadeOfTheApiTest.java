package dev.holdfast.lock.leader;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** What an election depends on. */
@AnalyzeClasses(packagesOf = LeaderElection.class, importOptions = DoNotIncludeTests.class)
class LeaderIsMadeOfTheApiTest {

    @ArchTest
    static final ArchRule leaderIsMadeOfTheApi = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "java..",
                    "org.jspecify..",
                    "dev.holdfast.lock",
                    "dev.holdfast.lock.leader..",
                    "dev.holdfast.lock.internal.background..",
                    "dev.holdfast.lock.internal.thread..")
            .because("an election works with every kind of lock; use what a LeaseLock offers");
}
