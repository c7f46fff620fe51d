package dev.holdfast.lock.spring;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.stream.Stream;

/** The starter's package map. */
@AnalyzeClasses(packages = ArchitectureTest.STARTER, importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

    static final String STARTER = "dev.holdfast.lock.spring";

    private static final String BOOT = STARTER + ".boot..";

    /** The packages of features. */
    private static final String[] FEATURES = Stream.of(
                    "aspectj", "boot.actuate", "boot.web", "job", "observe", "pause", "transaction")
            .map(feature -> STARTER + "." + feature)
            .toArray(String[]::new);

    @ArchTest
    static final ArchRule packagesFormNoCycle = slices().matching("dev.holdfast.lock.(**)")
            .should()
            .beFreeOfCycles()
            .because("the tree shows who depends on whom; turn one of the listed uses round:"
                    + " declare an interface in the package that is used and implement it in the one that uses it");

    @ArchTest
    static final ArchRule spineNamesNoFeature = noClasses()
            .that()
            .resideOutsideOfPackages(FEATURES)
            .and()
            .resideOutsideOfPackage(BOOT)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(FEATURES)
            .because("a call is read without the features; let the feature do it, as an AroundLock");

    @ArchTest
    static void featuresDoNotKnowEachOther(JavaClasses classes) {
        Set<String> features = Set.of(FEATURES);
        assertThat(classes.stream()
                        .filter(each -> features.contains(each.getPackageName()))
                        .flatMap(each -> each.getDirectDependenciesFromSelf().stream())
                        .map(use -> Map.entry(
                                use.getOriginClass().getPackageName(),
                                use.getTargetClass().getPackageName()))
                        .filter(use -> features.contains(use.getValue())
                                && !use.getKey().equals(use.getValue())))
                .as("each feature is read alone; move what they share into .call")
                .isSubsetOf(Map.entry(STARTER + ".boot.actuate", STARTER + ".observe"));
    }

    /** A repeatable annotation and its container need each other; so do the aspect and its link, because AspectJ makes the object of one. */
    @ArchTest
    static void fewClassesAreInCycles(JavaClasses classes) {
        Map<JavaClass, Set<JavaClass>> uses = new HashMap<>();
        for (JavaClass each : classes) {
            Set<JavaClass> used = uses.computeIfAbsent(topLevel(each), first -> new HashSet<>());
            each.getDirectDependenciesFromSelf().stream()
                    .map(dependency -> topLevel(dependency.getTargetClass()))
                    .filter(other -> classes.contain(other.getName()) && !other.equals(topLevel(each)))
                    .forEach(used::add);
        }
        assertThat(uses.keySet())
                .filteredOn(each -> reached(each, uses).contains(each))
                .extracting(JavaClass::getSimpleName)
                .as("classes that use themselves through others: cut by state, or pass what is used")
                .isSubsetOf("DistributedLock", "DistributedLocks", "DistributedLockAspect", "WeavingLink");
    }

    private static JavaClass topLevel(JavaClass type) {
        return type.getEnclosingClass().map(ArchitectureTest::topLevel).orElse(type);
    }

    private static Set<JavaClass> reached(JavaClass from, Map<JavaClass, Set<JavaClass>> uses) {
        Set<JavaClass> reached = new HashSet<>();
        Deque<JavaClass> next = new ArrayDeque<>(uses.get(from));
        while (!next.isEmpty()) {
            JavaClass one = next.pop();
            if (reached.add(one)) {
                next.addAll(uses.getOrDefault(one, Set.of()));
            }
        }
        return reached;
    }

    @ArchTest
    static final ArchRule bootsMovingPackagesStayAtTheEdge = noClasses()
            .that()
            .resideOutsideOfPackage(BOOT)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.springframework.boot.data.redis..", "org.springframework.boot.health..")
            .because("Boot 3 has them under other names and a starter for it must be able to share the rest;"
                    + " move the use into .boot");

    @ArchTest
    static final ArchRule nobodyImportsBoot = noClasses()
            .that()
            .resideOutsideOfPackage(BOOT)
            .should()
            .dependOnClassesThat()
            .resideInAPackage(BOOT)
            .because(".boot puts the others together; move what is shared into the package that uses it");

    @ArchTest
    static final ArchRule namesComeFromTheDomain = noClasses()
            .should()
            .haveNameMatching(".*(Impl|Utils?|Manager|Helper)")
            .because("such a name says nothing; name the class after what it is"
                    + " or move its methods to the class they serve");

    @ArchTest
    static final ArchRule futuresAreTimedByThreadsThatEnd = noClasses()
            .should()
            .callMethodWhere(target(nameMatching("orTimeout|completeOnTimeout|delayedExecutor"))
                    .and(target(owner(assignableTo(CompletableFuture.class)))))
            .because("the JDK times them on a thread that never ends, with the class loader of the application that"
                    + " was the first to need it; use StarterThreads.limit");

    @ArchTest
    static final ArchRule nothingRunsOnTheCommonPool = noClasses()
            .should()
            .callMethod(ForkJoinPool.class, "commonPool")
            .orShould()
            .callMethodWhere(target(nameMatching(".*Async"))
                    .and(target(owner(assignableTo(CompletableFuture.class))))
                    .and(describe(
                            "without an executor",
                            call -> call.getTarget().getRawParameterTypes().stream()
                                    .noneMatch(type -> type.isEquivalentTo(Executor.class)))))
            .because("application code may follow, and a thread of the common pool has the system's class loader, which"
                    + " finds nothing in an executable jar; pass an executor");
}
