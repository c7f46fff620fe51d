package dev.holdfast.lock.docs.site;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Makes the site, which stays in {@code target/site}, and follows all of its links. */
class SiteTest {

    private static final Path ROOT = Path.of("target/site");
    private static final Pattern LINK = Pattern.compile("<(\\w+)[^>]*? (?:href|src)=\"([^\"]*)\"");
    private static final Pattern ID = Pattern.compile(" id=\"([^\"]*)\"");

    private static final Map<Path, String> FILES = new HashMap<>();
    private static Path folder = ROOT;

    @BeforeAll
    static void make() throws IOException {
        Files.createDirectories(ROOT);
        folder = Site.write(ROOT);
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(each -> each.toString().endsWith(".html"))
                    .filter(each -> !each.startsWith(folder.resolve("javadoc")))
                    .toList()) {
                FILES.put(file.normalize(), Files.readString(file));
            }
        }
    }

    private static List<String> ids(String html) {
        return ID.matcher(html).results().map(id -> id.group(1)).toList();
    }

    @Test
    void everyLinkLeadsSomewhere() {
        assertThat(FILES).hasSizeGreaterThan(40);
        FILES.forEach((file, html) -> LINK.matcher(html).results().forEach(found -> {
            String link = found.group(2);
            if (link.startsWith("https:") || link.startsWith("data:")) {
                return;
            }
            int hash = link.indexOf('#');
            String path = hash < 0 ? link : link.substring(0, hash);
            Path target = (path.isEmpty() ? file : file.resolveSibling(path)).normalize();
            assertThat(target).as(file + " links to " + link).exists();
            if (hash >= 0) {
                assertThat(ids(FILES.get(target)))
                        .as(file + " links to " + link)
                        .contains(link.substring(hash + 1));
            }
        }));
    }

    /** A reader's browser tells nobody else what is read. */
    @Test
    void nothingIsLoadedFromAnotherHost() {
        FILES.forEach((file, html) -> assertThat(LINK.matcher(html)
                        .results()
                        .filter(found -> !found.group(1).equals("a"))
                        .map(found -> found.group(2))
                        .filter(link -> link.contains("//")))
                .as(file.toString())
                .isEmpty());
    }

    @Test
    void everyPageHasOneTitleAndNoIdTwice() {
        FILES.forEach((file, html) -> {
            assertThat(html.split("<h1", -1)).as("main headings of " + file).hasSize(2);
            List<String> ids = ids(html);
            assertThat(ids).as("ids of " + file).doesNotHaveDuplicates();
        });
    }

    @Test
    void pagesOfTheManualAreInTheNavigation() {
        String start = FILES.get(folder.resolve("index.html").normalize());
        Set<String> listed = new HashSet<>();
        Pattern.compile("<nav.*</nav>", Pattern.DOTALL)
                .matcher(start)
                .results()
                .map(MatchResult::group)
                .forEach(nav -> LINK.matcher(nav).results().forEach(link -> listed.add(link.group(2))));

        try (Stream<Path> pages = Files.list(folder.resolve("docs"))) {
            assertThat(pages.filter(page -> page.toString().endsWith(".html")))
                    .extracting(page -> folder.relativize(page).toString())
                    .isSubsetOf(listed);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void everyGroupOfTheNavigationHasPages() {
        String start = FILES.get(folder.resolve("index.html").normalize());

        assertThat(start).contains("<li class=\"group\">Reference</li>");
        assertThat(Pattern.compile("<li class=\"group\">[^<]*</li>\\s*+(?!<li><a)")
                        .matcher(start)
                        .results())
                .isEmpty();
    }

    @Test
    void codeHasColors() {
        String page = FILES.get(folder.resolve("docs/jobs.html").normalize());

        assertThat(page)
                .contains("<span class=\"mark\">@Scheduled</span>")
                .contains("<span class=\"word\">class</span>")
                .contains("<span class=\"text\">\"Europe/Berlin\"</span>")
                .contains("<span class=\"mark\">holdfast.pausable</span>");
    }

    @Test
    void searchKnowsEverySection() throws IOException {
        String sections = Files.readString(folder.resolve("search.js"));

        assertThat(sections.lines().filter(line -> line.startsWith("["))).hasSizeGreaterThan(250);
        assertThat(sections).contains("\"docs/on-call.html\",\"A lock was lost\",\"a-lock-was-lost\"");
    }

    @Test
    void languageModelsFindThePages() throws IOException {
        assertThat(Files.readString(folder.resolve("llms.txt")))
                .startsWith("# Holdfast ")
                .contains("\n> ")
                .contains("](docs/getting-started.html)");
    }
}
