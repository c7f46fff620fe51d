package dev.holdfast.lock;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.core.domain.properties.HasReturnType.Predicates.rawReturnType;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.Calendar;
import java.util.Date;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;

/** The package map, as {@code docs/contributing/architecture.md} draws it. */
@AnalyzeClasses(
        packages = ArchitectureTest.API,
        importOptions = {DoNotIncludeTests.class, ArchitectureTest.WithoutFixtures.class})
class ArchitectureTest {

    static final String API = "dev.holdfast.lock";

    private static final int MOST_IN_CYCLES = 9;

    private static final String COMPOSITE = API + ".composite..";
    private static final String LEADER = API + ".leader..";
    private static final String THREAD = API + ".internal.thread..";
    private static final String BACKGROUND = API + ".internal.background..";
    private static final String EVENT = API + ".internal.event..";
    private static final String LEASE = API + ".internal.lease..";
    private static final String CONNECTION = API + ".internal.connection..";
    private static final String WAITING = API + ".internal.waiting..";
    private static final String INSPECT = API + ".internal.inspect..";
    private static final String PROTOCOL = API + ".internal.protocol..";
    private static final String ENGINE = API + ".internal.engine..";
    private static final String REIGN = API + ".internal.reign..";
    private static final String REDIS = API + ".redis..";

    private static final String[] LETTUCE = {"io.lettuce..", "io.netty..", "reactor.."};

    private static ArchRule dependsOnlyOn(String ours, String... others) {
        String[] allowed = Stream.concat(Stream.of("java..", "org.jspecify..", ours), Stream.of(others))
                .toArray(String[]::new);
        return classes()
                .that()
                .resideInAPackage(ours)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(allowed);
    }

    private static ArchRule dependsOnNone(String ours, String... others) {
        return noClasses()
                .that()
                .resideInAPackage(ours)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(others);
    }

    @ArchTest
    static final ArchRule packagesFormNoCycle = slices().matching("dev.holdfast.(**)")
            .should()
            .beFreeOfCycles()
            .because("the tree shows who depends on whom; turn one of the listed uses round:"
                    + " declare an interface in the package that is used and implement it in the one that uses it");

    /** With it, Error Prone and editors refuse a caller's code that drops the result and runs unlocked. */
    @ArchTest
    static final ArchRule resultThatACallerNeedsIsMarked = methods()
            .that()
            .areDeclaredInClassesThat()
            .resideInAPackage(API)
            .and()
            .areDeclaredInClassesThat()
            .areNotAnonymousClasses()
            .and()
            .arePublic()
            .and(DescribedPredicate.or(
                    nameMatching("get\\w*(Lock|Semaphore)|(read|write)Lock|(tryA|a)cquire(Async)?|tryLock"),
                    rawReturnType(AcquireOptions.class)))
            .should()
            .beAnnotatedWith(CheckReturnValue.class)
            .orShould()
            .beDeclaredInClassesThat()
            .areAnnotatedWith(CheckReturnValue.class);

    /** The number of source files in cycles may shrink, and it may not grow. */
    @ArchTest
    static void noMoreClassesFormCycles(JavaClasses classes) {
        Map<String, Set<String>> uses = new TreeMap<>();
        for (JavaClass each : classes) {
            Set<String> used = uses.computeIfAbsent(file(each), name -> new TreeSet<>());
            each.getDirectDependenciesFromSelf().stream()
                    .map(dependency -> dependency.getTargetClass().getBaseComponentType())
                    .filter(target -> target.getPackageName().startsWith(API))
                    .map(ArchitectureTest::file)
                    .forEach(used::add);
        }
        Map<String, Set<String>> reached = new TreeMap<>();
        uses.keySet().forEach(from -> reached.put(from, reachedFrom(from, uses)));
        List<String> cyclic = uses.keySet().stream()
                .filter(name -> reached.get(name).contains(name))
                .toList();
        assertThat(cyclic)
                .as("classes that depend on themselves through others; declare an interface, pass in what is needed, or"
                        + " merge what shares a state")
                .hasSizeLessThanOrEqualTo(MOST_IN_CYCLES);
    }

    private static Set<String> reachedFrom(String from, Map<String, Set<String>> uses) {
        Set<String> reached = new TreeSet<>();
        Deque<String> next = new ArrayDeque<>(List.of(from));
        while (!next.isEmpty()) {
            String name = next.remove();
            uses.getOrDefault(name, Set.of()).stream()
                    .filter(used -> !used.equals(name) && reached.add(used))
                    .forEach(next::add);
        }
        return reached;
    }

    private static String file(JavaClass type) {
        return type.getName().replaceAll("\\$.*", "");
    }

    @ArchTest
    static final ArchRule onlyConnectionKnowsLettuce = noClasses()
            .that()
            .resideOutsideOfPackage(CONNECTION)
            .and()
            .doNotHaveFullyQualifiedName(API + ".redis.RedisSource")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(LETTUCE)
            .because("a new Lettuce is to touch one package; move the call into .connection"
                    + " and hand out java.* types (Netty and Reactor come with Lettuce and stay there as well);"
                    + " RedisSource alone accepts the application's Lettuce client, and passes it on");

    @ArchTest
    static final ArchRule apiKnowsNobody = dependsOnlyOn(API)
            .because("users compile against it; move the class that needs more into an inner package,"
                    + " or put an interface into the API and implement it there");

    @ArchTest
    static final ArchRule backgroundKnowsOnlyTheApi = dependsOnlyOn(BACKGROUND, API)
            .because("every package logs and has work to do; leave what a line says, and what the work is, to them");

    @ArchTest
    static final ArchRule onlyTheLogRunsLogHandlers = noClasses()
            .that()
            .resideOutsideOfPackage(BACKGROUND)
            .should()
            .callMethodWhere(target(name("getLogger")))
            .because("a log handler is foreign code: one that takes seconds would delay renewals, event loops and"
                    + " every thread that waits for a monitor; use LockLog, which writes on a thread of its own");

    @ArchTest
    static final ArchRule threadKnowsOnlyTheApi = dependsOnlyOn(THREAD, API, BACKGROUND)
            .because("every kind of lock is built on it; leave what leases or Redis do to a subclass");

    @ArchTest
    static final ArchRule eventKnowsOnlyTheApi = dependsOnlyOn(EVENT, API, BACKGROUND)
            .because("whatever happens can be reported; take what a line says through ReportedLease");

    @ArchTest
    static final ArchRule reignKnowsOnlyTheApi = dependsOnlyOn(REIGN, API, BACKGROUND)
            .because("scripts know the rules of the grace; leave what holders and requests do to .lease and .protocol");

    @ArchTest
    static final ArchRule compositeIsMadeOfTheApi = dependsOnlyOn(COMPOSITE, API, BACKGROUND, THREAD)
            .because("a lock made of locks works on all kinds of locks; take LibraryLock as a parameter instead");

    @ArchTest
    static final ArchRule leaderIsMadeOfTheApi = dependsOnlyOn(LEADER, API, BACKGROUND, THREAD)
            .because("an election works with every kind of lock; use what a LeaseLock offers");

    @ArchTest
    static final ArchRule leaseKnowsNoRedis = dependsOnNone(
                    LEASE, CONNECTION, ENGINE, INSPECT, PROTOCOL, REDIS, WAITING)
            .because("renewal and loss are tested without a server; declare what .lease needs as an interface in .lease"
                    + " and implement it in .engine");

    @ArchTest
    static final ArchRule waitingKnowsNoRedis = dependsOnNone(WAITING, CONNECTION, ENGINE, INSPECT, PROTOCOL, REDIS)
            .because(
                    "waiting rooms are tested without a server; declare what .waiting needs as an interface in .waiting"
                            + " and implement it in .engine");

    @ArchTest
    static final ArchRule connectionKnowsNoLocks = dependsOnNone(CONNECTION, ENGINE, INSPECT, PROTOCOL, REDIS, WAITING)
            .because("it runs scripts and delivers messages; what they mean belongs into .protocol");

    @ArchTest
    static final ArchRule protocolKnowsNoEngine = dependsOnNone(PROTOCOL, ENGINE, INSPECT, REDIS, THREAD)
            .because("a kind of lock is keys and scripts; who waits for it, and who has it, belongs into .engine");

    @ArchTest
    static final ArchRule inspectKnowsNoEngine = dependsOnNone(INSPECT, ENGINE, REDIS)
            .because("it looks at what Redis has, which also works for locks that another library holds");

    @ArchTest
    static final ArchRule nobodyImportsRedis = noClasses()
            .that()
            .resideOutsideOfPackage(REDIS)
            .should()
            .dependOnClassesThat()
            .resideInAPackage(REDIS)
            .because(".redis puts the others together; move what is shared into the package that uses it,"
                    + " or pass it in through a constructor from .redis");

    @ArchTest
    static final ArchRule namesComeFromTheDomain = noClasses()
            .should()
            .haveNameMatching(".*(Impl|Utils?|Manager|Helper)")
            .because("such a name says nothing; name the class after what it is (lease, holder, room)"
                    + " or move its methods to the class they serve");

    @ArchTest
    static final ArchRule coreKnowsNoSpring = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.springframework..")
            .because("lock-core runs in any Java program; move the class to lock-spring-boot-starter");

    @ArchTest
    static final ArchRule threadsClocksAndChanceComeFromTheBackground = noClasses()
            .that()
            .resideOutsideOfPackage(BACKGROUND)
            .should()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethodWhere(target(name("now")).and(target(owner(resideInAPackage("java.time..")))))
            .orShould()
            .callConstructorWhere(target(owner(assignableTo(Thread.class))))
            .orShould()
            .callConstructorWhere(target(owner(assignableTo(ExecutorService.class))))
            .orShould()
            .callMethodWhere(target(nameMatching("start|startVirtualThread|ofVirtual|ofPlatform"))
                    .and(target(owner(assignableTo(Thread.class)))))
            .orShould()
            .dependOnClassesThat()
            .belongToAnyOf(
                    Date.class,
                    Calendar.class,
                    Clock.class,
                    Executors.class,
                    Random.class,
                    java.util.Timer.class,
                    SplittableRandom.class,
                    ThreadLocalRandom.class,
                    UUID.class)
            .orShould()
            .callMethod(Math.class, "random")
            .because("one object decides all that differs from run to run, so that a simulation can repeat a run,"
                    + " and wall clocks jump; ask the client's Background");

    @ArchTest
    static final ArchRule futuresAreTimedByThreadsThatEnd = noClasses()
            .should()
            .callMethodWhere(target(nameMatching("orTimeout|completeOnTimeout|delayedExecutor"))
                    .and(target(owner(assignableTo(CompletableFuture.class)))))
            .because("the JDK times them on a thread that never ends, with the class loader of the application that"
                    + " was the first to need it; use Timer, or Members in .composite");

    /** The servers and networks of tests are main code of modules of their own. */
    static final class WithoutFixtures implements ImportOption {

        @Override
        public boolean includes(Location location) {
            return !location.contains("/testing/") && !location.contains("/lock/proxy/");
        }
    }
}
