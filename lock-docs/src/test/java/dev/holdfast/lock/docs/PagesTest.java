package dev.holdfast.lock.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.docs.Page.Block;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PagesTest {

    private static final int LONGEST = 250;

    /** A record that only grows, and that nobody reads from beginning to end. */
    private static final Set<String> RECORDS = Set.of("CHANGELOG.md", "docs/decisions.md");

    static List<Page> pages() {
        return Page.all();
    }

    @Test
    void readmeFitsInto150Lines() {
        assertThat(Page.of("README.md").lines()).isLessThanOrEqualTo(150);
    }

    @ParameterizedTest
    @MethodSource("pages")
    void pageFitsInto250Lines(Page page) {
        if (!RECORDS.contains(page.toString())) {
            assertThat(page.lines()).isLessThanOrEqualTo(LONGEST);
        }
    }

    @ParameterizedTest
    @MethodSource("pages")
    void everyLinkLeadsSomewhere(Page page) {
        for (String link : page.links()) {
            if (link.startsWith("https://")) {
                continue;
            }
            assertThat(link).as(page + ": use https").doesNotStartWith("http://");
            int hash = link.indexOf('#');
            String file = hash < 0 ? link : link.substring(0, hash);
            Path target = file.isEmpty()
                    ? page.path()
                    : page.path().resolveSibling(file).normalize();
            assertThat(Files.exists(target)).as(page + " links to " + link).isTrue();
            if (hash >= 0) {
                assertThat(Page.of(target.toString()).anchors())
                        .as(page + " links to " + link)
                        .contains(link.substring(hash + 1));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("pages")
    void everyBlockSaysWhatItIs(Page page) {
        assertThat(page.blocks()).extracting(Block::mark).doesNotContain("");
        long fences = page.text().lines().filter(line -> line.startsWith("```")).count();
        assertThat(page.blocks()).as("a fence that nothing closes").hasSize((int) fences / 2);
    }

    @Test
    void everyPageOfTheManualIsInItsIndex() {
        Page index = Page.of("docs/README.md");
        Set<Path> listed = new HashSet<>();
        index.links()
                .forEach(link -> listed.add(
                        index.path().resolveSibling(link.replaceAll("#.*", "")).normalize()));
        assertThat(pages().stream().filter(page -> page.toString().startsWith("docs/")))
                .filteredOn(page -> !page.toString().equals(index.toString()))
                .allSatisfy(page ->
                        assertThat(listed).as(page + " is not in the index").contains(page.path()));
    }
}
