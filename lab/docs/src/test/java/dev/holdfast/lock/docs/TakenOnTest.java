package dev.holdfast.lock.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What the page for auditors says that an application takes on, against the files that decide it. */
class TakenOnTest {

    private static final Page PAGE = Page.of("docs/contributing/audit.md");
    private static final Pattern DEPENDENCY = Pattern.compile(
            "(?s)<dependency>(?:(?!</dependency>|<artifactId>).)*<artifactId>([^<]+)<((?:(?!</dependency>).)*)");

    @Test
    void jarsAreNoLargerThanTheBuildAllows() {
        assertThat(Page.of("lock-core/pom.xml").text()).contains("<maxsize>630000<");
        assertThat(Page.of("lock-spring-boot-starter/pom.xml").text()).contains("<maxsize>630000<");
        assertThat(row("jars")).contains("each at most 630 KB");
    }

    @Test
    void dependenciesOfTheStarterAreThoseOfItsPom() {
        String pom = Page.of("lock-spring-boot-starter/pom.xml").text();

        assertThat(row("dependencies of the starter").split("[^\\w-]+"))
                .containsAll(DEPENDENCY
                        .matcher(pom.substring(0, pom.indexOf("<build>")))
                        .results()
                        .filter(found -> !found.group(2).matches("(?s).*(<scope>test<|<optional>true<).*"))
                        .map(found -> found.group(1))
                        .toList());
    }

    @Test
    void rightsAreThoseOfTheFile() {
        List<String> rules = Page.of("docs/acl.conf")
                .text()
                .lines()
                .filter(line -> line.startsWith("user "))
                .flatMap(line -> Arrays.stream(line.split(" ")))
                .toList();

        assertThat(row("rights in Redis"))
                .startsWith(count(rules, "+") + " commands, " + count(rules, "~") + " patterns of keys, "
                        + count(rules, "&") + " of channels");
    }

    private static long count(List<String> rules, String kind) {
        return rules.stream().filter(rule -> rule.startsWith(kind)).count();
    }

    private static String row(String what) {
        return Pattern.compile("(?m)^\\| " + what + " \\| (.*?) \\|")
                .matcher(PAGE.text())
                .results()
                .map((MatchResult found) -> found.group(1))
                .findFirst()
                .orElseThrow();
    }
}
