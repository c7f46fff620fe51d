package dev.holdfast.lock.docs.site;

import dev.holdfast.lock.docs.Page;
import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor.Version;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.util.FileSystemUtils;

/**
 * Makes a static site of the manual: the same Markdown, with navigation and search. Each version of the manual has a folder of its own, so that a new
 * one can be put beside those that are published already.
 */
final class Site {

    /** Javadoc takes longer than all the rest, so only a site that is published has it. */
    private static final boolean WITH_JAVADOC = Boolean.getBoolean("site.javadoc");

    private static final String NAME = "Holdfast";
    private static final Path INDEX = Path.of("docs/README.md");
    private static final Pattern VERSION = Pattern.compile("<version>([^<]+)</version>\\s*<packaging>pom");

    /** A link in the order of the navigation. A link without a target is the heading of a group. */
    record Entry(String title, String target) {}

    private final Path folder;
    private final String version;
    private final List<SitePage> pages;
    private final List<Entry> navigation;

    private Site(Path root, String version) {
        this.folder = root.resolve(version);
        this.version = version;
        this.pages = Page.all().stream()
                .filter(page -> !page.toString().startsWith(".github"))
                .map(SitePage::new)
                .toList();
        this.navigation = navigation();
    }

    /** Writes the site of the present version into a folder, which may have those of other versions. Returns the folder of this version. */
    static Path write(Path root) throws IOException {
        Matcher found = VERSION.matcher(Page.of("pom.xml").text());
        if (!found.find()) {
            throw new IllegalStateException("The version of the parent pom was not found");
        }
        Site site = new Site(root, found.group(1));
        FileSystemUtils.deleteRecursively(site.folder);
        site.write();
        if (WITH_JAVADOC) {
            Javadoc.write(site.folder);
        }
        site.writeRoot(root);
        return site.folder;
    }

    private void write() throws IOException {
        String template = resource("page.html");
        for (SitePage page : pages) {
            Path file = folder.resolve(page.file());
            Files.createDirectories(file.getParent());
            Files.writeString(file, fill(template, page));
            for (Path picture : page.pictures()) {
                Path copy = folder.resolve(picture);
                Files.createDirectories(copy.getParent());
                Files.copy(Page.ROOT.resolve(picture), copy, StandardCopyOption.REPLACE_EXISTING);
            }
        }
        Files.writeString(folder.resolve("site.css"), resource("site.css"));
        Files.writeString(folder.resolve("site.js"), resource("site.js"));
        Files.writeString(
                folder.resolve("search.js"),
                pages.stream()
                        .flatMap(page -> page.sections().stream())
                        .map(SitePage.Section::toJson)
                        .collect(Collectors.joining(",\n", "const SECTIONS = [\n", "\n];\n")));
        Files.writeString(folder.resolve("llms.txt"), forLanguageModels());
    }

    /** Writes what all versions share: the list of them, and a start page that leads to the latest release, or to the snapshot before the first one. */
    private void writeRoot(Path root) throws IOException {
        List<String> versions;
        try (Stream<Path> folders = Files.list(root)) {
            versions = folders.filter(Files::isDirectory)
                    .map(each -> each.getFileName().toString())
                    .filter(each -> !each.startsWith("."))
                    .sorted(Comparator.comparing(Version::parse))
                    .toList();
        }
        Files.writeString(
                root.resolve("versions.js"),
                versions.stream()
                        .map(each -> '"' + each + '"')
                        .collect(Collectors.joining(", ", "const VERSIONS = [", "];\n")));
        Files.writeString(
                root.resolve("index.html"),
                resource("start.html")
                        .replace(
                                "{{version}}",
                                versions.stream()
                                        .filter(each -> !each.endsWith("SNAPSHOT"))
                                        .reduce((earlier, later) -> later)
                                        .orElse(version)));
    }

    private String fill(String template, SitePage page) {
        String up = page.up();
        String links = navigation.stream()
                .map(entry -> entry.target().isEmpty()
                        ? "<li class=\"group\">" + SitePage.escaped(entry.title()) + "</li>"
                        : "<li><a href=\"" + up + entry.target() + "\""
                                + (entry.target().equals(page.file()) ? " aria-current=\"page\"" : "") + ">"
                                + SitePage.escaped(entry.title()) + "</a></li>")
                .collect(Collectors.joining("\n"));
        return template.replace("{{up}}", up)
                .replace("{{title}}", SitePage.escaped(page.title()))
                .replace("{{version}}", version)
                .replace("{{navigation}}", links)
                .replace("{{content}}", page.html());
    }

    /** The links of the manual's index, below its headings. */
    private static List<Entry> navigation() {
        List<Entry> entries =
                new ArrayList<>(List.of(new Entry("About", "index.html"), new Entry("All pages", "docs/index.html")));
        Pattern line = Pattern.compile("(?m)^## (.+)$|\\[([^\\]]+)\\]\\(([^)#:]+\\.md)\\)");
        line.matcher(Page.of(INDEX.toString()).text()).results().forEach(found -> {
            if (found.group(1) != null) {
                entries.add(new Entry(found.group(1), ""));
            } else {
                String target =
                        SitePage.fileOf(INDEX.resolveSibling(found.group(3)).normalize());
                String title = found.group(2).substring(0, 1).toUpperCase(Locale.ROOT)
                        + found.group(2).substring(1);
                if (entries.stream().noneMatch(entry -> entry.target().equals(target))) {
                    entries.add(new Entry(title, target));
                }
            }
        });
        if (WITH_JAVADOC) {
            entries.add(new Entry("Javadoc", Javadoc.INDEX));
        }
        return withoutEmptyGroups(entries);
    }

    private static List<Entry> withoutEmptyGroups(List<Entry> entries) {
        List<Entry> kept = new ArrayList<>();
        for (int i = 0; i < entries.size(); i++) {
            boolean isEmpty =
                    i + 1 == entries.size() || entries.get(i + 1).target().isEmpty();
            if (!entries.get(i).target().isEmpty() || !isEmpty) {
                kept.add(entries.get(i));
            }
        }
        return kept;
    }

    /** The index in the form that language models look for. */
    private String forLanguageModels() {
        String links = navigation.stream()
                .map(entry -> entry.target().isEmpty()
                        ? "\n## " + entry.title() + "\n"
                        : "- [" + entry.title() + "](" + entry.target() + ")")
                .collect(Collectors.joining("\n"));
        return "# " + NAME + " " + version + "\n\n> "
                + pages.stream()
                        .filter(page -> page.file().equals("index.html"))
                        .map(SitePage::firstParagraph)
                        .findFirst()
                        .orElseThrow()
                + "\n\n" + links + "\n";
    }

    private static String resource(String name) throws IOException {
        try (InputStream found = Site.class.getResourceAsStream(name)) {
            return new String(found.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
