package dev.holdfast.lock.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.springframework.boot.json.JsonParserFactory;

/** A page of the manual: a Markdown file of the repository. */
public record Page(Path path, String text) {

    public static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();

    private static final Pattern BLOCK = Pattern.compile("(?ms)^```([^\\n]*)\\n(.*?)^```$");
    private static final Pattern JAVADOC_BLOCK =
            Pattern.compile("(?s)<pre>(?:\\{@code|<code>)(.*?)(?:\\}|</code>)</pre>");
    private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} +(.+?) *$");
    private static final Pattern LINK = Pattern.compile("\\[(?:[^\\[\\]]|\\[[^\\]]*\\])*\\]\\(([^)\\s]+)\\)");

    /** A fenced block: what follows its opening fence, and its lines. */
    record Block(String mark, String text) {}

    public static Page of(String path) {
        Path file = ROOT.resolve(path).normalize();
        try {
            return new Page(file, Files.readString(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The pages that readers are led to: of the repository, of its modules and of docs. */
    public static List<Page> all() {
        return files("", 4)
                .filter(file -> file.endsWith(".md") && !file.contains("target/") && !file.startsWith(".git/"))
                .map(Page::of)
                .toList();
    }

    /** The files of a folder of the repository, by their paths from its root. */
    static Stream<String> files(String folder, int depth) {
        try (Stream<Path> files = Files.walk(ROOT.resolve(folder), depth)) {
            return files
                    .filter(Files::isRegularFile)
                    .map(file -> ROOT.relativize(file).toString())
                    .sorted()
                    .toList()
                    .stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    List<Block> blocks() {
        return BLOCK.matcher(text)
                .results()
                .map(block -> new Block(block.group(1).strip(), block.group(2)))
                .toList();
    }

    /** The JSON example that has a member. */
    Map<String, Object> example(String member) {
        return blocks().stream()
                .filter(block -> block.mark().equals("json"))
                .map(block -> JsonParserFactory.getJsonParser().parseMap(block.text()))
                .filter(example -> example.containsKey(member))
                .findFirst()
                .orElseThrow();
    }

    /** The Java sources whose Javadoc has examples. */
    static List<Page> javadoc() {
        return files("", 12)
                .filter(file -> file.endsWith(".java") && file.contains("/src/main/java/"))
                .map(Page::of)
                .filter(page -> JAVADOC_BLOCK.matcher(page.text()).find())
                .toList();
    }

    /** The examples in the Javadoc, marked as those of the manual. {@code @snippet} could do this from JDK 18 on. */
    List<Block> examples() {
        return JAVADOC_BLOCK
                .matcher(text)
                .results()
                .map(block -> block.group(1)
                        .replaceAll("(?m)^ *\\* ?", "")
                        .replace("&#064;", "@")
                        .strip())
                .map(code -> new Block(code.startsWith("@") ? "java spring" : "java", code))
                .toList();
    }

    int words() {
        return text.strip().split("\\s+").length;
    }

    /** The text between the blocks. */
    String prose() {
        return BLOCK.matcher(text).replaceAll("");
    }

    List<String> links() {
        String prose = prose().replaceAll("`[^`\\n]*`", "code");
        List<String> links = new ArrayList<>();
        // A picture inside a link has a link of its own.
        LINK.matcher(prose)
                .results()
                .map(MatchResult::group)
                .forEach(found -> Pattern.compile("\\]\\(([^)\\s]+)\\)")
                        .matcher(found)
                        .results()
                        .forEach(target -> links.add(target.group(1))));
        return links;
    }

    /** The anchors that GitHub gives to the headings. */
    Set<String> anchors() {
        Set<String> anchors = new HashSet<>();
        HEADING.matcher(prose()).results().forEach(heading -> anchor(heading.group(1), anchors));
        return anchors;
    }

    /** Returns the anchor of a heading, and adds it to those of its page, in which each is unique. */
    public static String anchor(String heading, Set<String> used) {
        String anchor = heading.replaceAll("\\[([^\\]]*)\\]\\([^)]*\\)", "$1")
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{N}\\- _]", "")
                .replace(' ', '-');
        int repeated = 0;
        String unique = anchor;
        while (!used.add(unique)) {
            unique = anchor + "-" + ++repeated;
        }
        return unique;
    }

    /** Its file's name without the ending. */
    String name() {
        return path.getFileName().toString().replaceAll("\\..*", "");
    }

    int lines() {
        return (int) text.lines().count();
    }

    @Override
    public String toString() {
        return ROOT.relativize(path).toString();
    }
}
