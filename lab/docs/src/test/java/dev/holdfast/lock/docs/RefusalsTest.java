package dev.holdfast.lock.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** refusals.md, next to this test, has every refusal of a declaration. The page on startup has the kinds. */
class RefusalsTest {

    private static final List<String> SOURCES = List.of(
            "lock-spring-boot-starter/src/main/java/dev/holdfast/lock/spring", "adapters/lock-fencing/src/main/java");

    private static final Pattern REFUSAL = Pattern.compile(
            "(?s)\\b(?:invalid|new InvalidLockDeclarationException)\\(((?:[^\";]|\"(?:[^\"\\\\]|\\\\.)*\")*);");

    private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");

    /** What a refusal says, and what the list says of it. */
    private static final Map<String, String> PAGE = Map.ofEntries(
            Map.entry("is part of a circular reference", "part of a circular reference"),
            Map.entry("nothing can intercept a private method", "private, static or final"),
            Map.entry("a static method belongs to no bean", "private, static or final"),
            Map.entry("a subclass cannot override a final method", "private, static or final"),
            Map.entry("is final and cannot be proxied", "one of a final class"),
            Map.entry("is sealed, and Spring cannot", "a sealed class"),
            Map.entry("has private constructors only", "a class with private constructors only"),
            Map.entry("proxies answer it themselves", "`equals` and `hashCode`, which proxies answer"),
            Map.entry("it is package-private and in another package", "of a superclass in another package"),
            Map.entry("its bean is a post-processor", "of a post-processor"),
            Map.entry("is not open to Spring", "in a package that its module does not open"),
            Map.entry("the bean's proxy offers its interfaces only", "not part of any interface of an interface proxy"),
            Map.entry("has no proxy, because ", "created before the proxy creator"),
            Map.entry("a lock on a class locks none of its methods", "**A lock on a class**"),
            Map.entry("the lock has no name", "**A bad name:** missing or blank"),
            Map.entry("the name contains control characters", "with control characters"),
            Map.entry("cannot be resolved: ", "with a placeholder that nothing defines"),
            Map.entry("can have the same name in Redis", "**Names that overlap:**"),
            Map.entry("One name is one kind of lock", "**One name with two kinds**"),
            Map.entry("' is blank", "**A bad key:** blank"),
            Map.entry("does not parse: ", "does not parse"),
            Map.entry("which is not a parameter of the method", "names no argument of the method"),
            Map.entry("Keys cannot use types and constructors", "uses types, constructors"),
            Map.entry("refers to a bean", "constructors, or beans"),
            Map.entry("the key expression '", "**A bad key:**"),
            Map.entry("'…': ", "**A bad duration:**"),
            Map.entry(
                    "It comes from the annotation, or from the configuration",
                    "one of them comes from the configuration"),
            Map.entry("'key' and 'keys' are both given", "**`keys` with a `kind`**, or together with `key`"),
            Map.entry("'tick' does not go with @Scheduled", "beside `@Scheduled`"),
            Map.entry("'keys' takes re-entrant locks only", "**`keys` with a `kind`**"),
            Map.entry("'permits' and 'keys' are both given", "together with `key` or `permits`"),
            Map.entry("' has several values", "or `onLost` with several constants"),
            Map.entry("'permits' is '", "**Bad `permits`:** not a number from 1 on"),
            Map.entry(
                    "a semaphore has no 'permits'",
                    "together with a `kind` other than `FAIR`, or missing for a semaphore"),
            Map.entry("the method has no @Scheduled", "**`@OncePerTick`** without a `@Scheduled`"),
            Map.entry("'fixedDelay' counts from the end of a run", "that has `cron` or `fixedRate`"),
            Map.entry("its @Scheduled cannot be read", "**`@OncePerTick`** without a `@Scheduled`"),
            Map.entry("does not go with other locks of the same method", "beside another lock on the method"),
            Map.entry("'bypass' is set for the lock", "**`bypass`** in the configuration of a lock"),
            Map.entry("'onFailure = RETRY' needs instances that wait", "`onFailure = RETRY` where no call waits"),
            Map.entry("is empty, so every deployment would be the same", "with a `per` that is empty"),
            Map.entry("which the build has not replaced", "not replaced by the build"),
            Map.entry("'per' is '", "has blanks or more than 100 bytes"),
            Map.entry("which has no toString(), so it names no lock", "or has no `toString()`"),
            Map.entry("does not schedule the override", "on the override of a `@Scheduled` method"),
            Map.entry("declare different locks for it", "**Two interfaces with different locks**"),
            Map.entry("and … has no name", "with `{class}` where the bean's class has no name"),
            Map.entry("needs a name of its own", "Two methods of one name that run only once"),
            Map.entry("a loss cannot interrupt a body that has left its thread", "**`onLost = INTERRUPT` on a method"),
            Map.entry("contradict each other", "or is combined with `onBusy`"),
            Map.entry("its 'fallback' names no", "**A bad fallback:** does not exist, has other parameters"),
            Map.entry("a skipped call has nothing to return", "**`SKIP` on a method whose type has no empty value**"),
            Map.entry("a skipped call would make no bean", "or that makes a bean"),
            Map.entry("past the proxy when it creates the bean", "**A callback of an object that code makes**"),
            Map.entry("when it destroys the bean", "**A method that Spring calls when it destroys the bean:**"),
            Map.entry("Spring's controllers have no value for its parameter", "with a parameter of type `Lease`"),
            Map.entry("WebFlux does not call a Callable", "in WebFlux, with a `Callable` as its result"),
            Map.entry("it is not the version of ", "not its version"),
            Map.entry(" has a second one, ", "that is not the entity's only one"),
            Map.entry("a static field is not stored", "not a `Long`, static"),
            Map.entry("a final field cannot take the next token", "or final with JPA"),
            Map.entry("a token needs 64 bits", "not a `Long`"),
            Map.entry("it names no lock", "whose lock has no name"),
            Map.entry("the entity has no field '", "whose `key` is no field"),
            Map.entry("it is in an embeddable", "not its version"),
            Map.entry("that work ends", "**A result whose end Holdfast cannot see**"),
            Map.entry(
                    "the lock would be released before the work behind a ",
                    "**A result whose end Holdfast cannot see**"),
            Map.entry("needs kotlinx-coroutines-reactor", "`kotlinx-coroutines-reactor` or `kotlin-reflect`"));

    /** Not at startup: settings that change while the application runs. */
    private static final List<String> LATER = List.of("while the application runs");

    private static List<String> refusals() {
        return SOURCES.stream().flatMap(RefusalsTest::refusals).toList();
    }

    private static Stream<String> refusals(String sources) {
        try (Stream<Path> files = Files.walk(Page.ROOT.resolve(sources))) {
            List<String> refusals = new ArrayList<>();
            for (Path file : files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> !file.toString().contains("/boot/"))
                    .toList()) {
                String source = Files.readString(file).replaceAll("\"\\s*\\+\\s*\"", "");
                REFUSAL.matcher(source)
                        .results()
                        .map(refusal -> LITERAL.matcher(refusal.group(1))
                                .results()
                                .map(literal -> literal.group(1))
                                .collect(Collectors.joining("…")))
                        .filter(refusal -> refusal.length() > 3)
                        .forEach(refusals::add);
            }
            return refusals.stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void everyRefusalOfADeclarationIsListed() {
        assertThat(refusals())
                .hasSizeGreaterThan(45)
                .allSatisfy(refusal -> assertThat(Stream.concat(PAGE.keySet().stream(), LATER.stream()))
                        .as("what the list says of: " + refusal)
                        .anyMatch(refusal::contains));
    }

    @Test
    void everyListedRefusalIsInTheCode() {
        String page = Page.of("lab/docs/src/test/resources/dev/holdfast/lock/docs/refusals.md")
                .text()
                .replaceAll("\\s+", " ");
        List<String> refusals = refusals();
        PAGE.forEach((said, described) -> {
            assertThat(page).contains(described);
            assertThat(refusals).as("refusals with: " + said).anyMatch(refusal -> refusal.contains(said));
        });
        assertThat(page).contains("**No `LockClient` bean, or several and none of them primary.**");
    }
}
