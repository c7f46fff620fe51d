package dev.holdfast.lock.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.docs.Jars.ClassFile;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the text of a page for users names, beside its examples: classes, their members, and Holdfast's methods. */
class ProseTest {

    private static final Jars CLASSES = Jars.ofClassPathAnd(Path.of("target/peers"));
    private static final List<String> OURS = List.of("dev/holdfast/lock/");

    /** What the pages about coming from another library name. */
    private static final List<String> THEIRS = List.of(
            "org/redisson/api/", "net/javacrumbs/", "org/springframework/integration/redis/util/RedisLockRegistry");

    private static final Pattern CODE = Pattern.compile("`([^`\\n]+)`");

    /** {@code Lease}, {@code LockContext.current()}, {@code @DistributedLock(name = …)}. */
    private static final Pattern CLASS =
            Pattern.compile("@?((?:[A-Z]\\w*\\.)*[A-Z]\\w*[a-z]\\w*)(?:[.#](\\w+))?(?:\\(.*\\)[.;]?.*)?");

    /** {@code isHeld()}. */
    private static final Pattern METHOD = Pattern.compile("([a-z]\\w*)\\(.*\\)");

    /** Of libraries that no test here has on its class path. */
    private static final Set<String> OTHERS = Set.of(
            // Spring Boot's tests, JPA
            "ServiceConnection",
            "WebMvcTest",
            "WebFluxTest",
            "DataRedisTest",
            "JpaRepository",
            "OptimisticLock",
            // Coroutines, RxJava, Mutiny
            "Deferred",
            "Completable",
            "Flowable",
            "Maybe",
            "Uni",
            // OpenRewrite's recipes
            "UpgradeSpringBoot_4_0",
            // Peers whose jars are not read, and ShedLock's tests
            "LockTimeoutStrategy",
            "FencedLock",
            "JdbcLockRegistry",
            "DistributedSemaphore",
            "LeaderElection",
            "LeaderGroupElection",
            "AbstractStorageBasedLockProviderIntegrationTest");

    /** Of Spring, Gradle, Lettuce, Hazelcast, an example, and the module for Kotlin, where the text does not say whose they are. */
    private static final Set<String> OTHER_METHODS = Set.of(
            "setEarlyStartup",
            "lockAndGetFence",
            "tryLockAndGetFence",
            "getFence",
            "isLockedByCurrentThread",
            "setBeforeExistingAdvisors",
            "implementation",
            "rewrite",
            "reauthenticateBehavior",
            "getTenant",
            "currentLease");

    /** {@link PagesTest} knows whether they exist. */
    private static final Pattern TEST = Pattern.compile("\\w+(?:Test|Contract)");

    private static final Pattern DECLARED = Pattern.compile("\\b(?:class|record|interface|enum) (\\w+)");
    private static final Pattern ALERT = Pattern.compile("- alert: (\\w+)");

    private static final Set<String> SOURCES = sources();

    /** The names of the classes in the repository's sources: the sample and the module for Kotlin are on no class path here. */
    private static Set<String> sources() {
        return found(
                Pattern.compile("(?m)(\\w+)\\.(?:java|kt)$"),
                Page.files("", Integer.MAX_VALUE).collect(Collectors.joining("\n")));
    }

    static List<Page> pages() {
        return Page.all().stream()
                .filter(page -> page.toString().matches("README\\.md|docs/[^/]+\\.md"))
                .toList();
    }

    private static List<String> code(Page page) {
        return CODE.matcher(page.prose()).results().map(found -> found.group(1)).toList();
    }

    private static Set<String> found(Pattern pattern, String text) {
        return pattern.matcher(text).results().map(each -> each.group(1)).collect(Collectors.toSet());
    }

    @ParameterizedTest
    @MethodSource("pages")
    void everyClassAndMemberThatIsNamedExists(Page page) {
        Set<String> missing = new TreeSet<>();
        for (String code : code(page)) {
            Matcher named = CLASS.matcher(code);
            if (named.matches() && !exists(named.toMatchResult(), page)) {
                missing.add(code);
            }
        }
        assertThat(missing).as("what " + page + " names and no class has").isEmpty();
    }

    private static boolean exists(MatchResult named, Page page) {
        String name = named.group(1).replaceAll(".*\\.", "");
        String member = named.group(2);
        List<ClassFile> types = CLASSES.named(name);
        if (!types.isEmpty()) {
            return member == null || types.stream().anyMatch(type -> CLASSES.hasMember(type, member));
        }
        return OTHERS.contains(name)
                || SOURCES.contains(name)
                || TEST.matcher(name).matches()
                || found(DECLARED, page.text()).contains(name)
                || found(ALERT, Page.of("docs/prometheus-rules.yml").text()).contains(name);
    }

    @ParameterizedTest
    @MethodSource("pages")
    void everyMethodThatIsNamedExists(Page page) {
        boolean isAboutOthers = page.toString().matches("docs/(migrating-.*|comparison)\\.md");
        List<ClassFile> types = Stream.concat(OURS.stream(), isAboutOthers ? THEIRS.stream() : Stream.empty())
                .flatMap(each -> CLASSES.in(each).stream())
                .toList();
        String examples = page.blocks().stream().map(Page.Block::text).collect(Collectors.joining());
        Set<String> missing = new TreeSet<>();
        for (String code : code(page)) {
            Matcher named = METHOD.matcher(code);
            if (named.matches()
                    && !OTHER_METHODS.contains(named.group(1))
                    && !examples.contains(" " + named.group(1) + "(")
                    && types.stream().noneMatch(type -> CLASSES.hasMember(type, named.group(1)))) {
                missing.add(code);
            }
        }
        assertThat(missing)
                .as("methods that " + page + " names and no class has")
                .isEmpty();
    }
}
