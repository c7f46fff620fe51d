import java.io.InputStream;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * Prints how a build's tests ended: {@code java .ci/Verdict.java FOLDER SINCE all|quiet}. It reads the reports that Surefire has written since then, in
 * milliseconds, and lists the tests that passed only on the second try and the failed ones, each with its message and its files. Each build runs it
 * last.
 */
final class Verdict {

    private static final Set<String> FAILED = Set.of("failure", "error");
    private static final Set<String> FLAKY = Set.of("flakyFailure", "flakyError");
    private static final int MOST_LINES = 8;
    private static final int MOST_CHARACTERS = 300;

    private final Path folder;
    private final List<String> flaky = new ArrayList<>();
    private final List<String> failed = new ArrayList<>();
    private final int[] counts = new int[4];

    private Verdict(Path folder) {
        this.folder = folder;
    }

    public static void main(String[] arguments) throws Exception {
        Verdict verdict = new Verdict(Path.of(arguments[0]));
        List<Path> reports = reports(verdict.folder, Long.parseLong(arguments[1]));
        for (Path report : reports) {
            verdict.read(report);
        }
        if (!reports.isEmpty()) {
            verdict.print(arguments[2].equals("quiet"));
        }
    }

    private static List<Path> reports(Path folder, long since) throws IOException {
        Set<Path> found = new TreeSet<>();
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path each, BasicFileAttributes attributes) {
                String name = each.getFileName().toString();
                boolean holdsNone = name.equals("src") || name.startsWith(".") && !each.equals(folder);
                boolean isOutput = each.getParent() != null && each.getParent().endsWith("target") && !name.equals("surefire-reports");
                return holdsNone || isOutput ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                String name = file.getFileName().toString();
                boolean isReport = name.startsWith("TEST-") && name.endsWith(".xml") && file.getParent().endsWith("surefire-reports");
                if (isReport && attributes.lastModifiedTime().toMillis() >= since) {
                    found.add(file);
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException gone) {
                return FileVisitResult.CONTINUE;
            }
        });
        return List.copyOf(found);
    }

    private void read(Path report) throws IOException, XMLStreamException {
        try (InputStream content = Files.newInputStream(report)) {
            XMLStreamReader xml = XMLInputFactory.newInstance().createXMLStreamReader(content);
            String test = "";
            boolean isListed = false;
            while (xml.hasNext()) {
                if (xml.next() != XMLStreamConstants.START_ELEMENT) {
                    continue;
                }
                String element = xml.getLocalName();
                if (element.equals("testsuite")) {
                    count(xml, "tests", 0);
                    count(xml, "failures", 1);
                    count(xml, "errors", 2);
                    count(xml, "skipped", 3);
                } else if (element.equals("testcase")) {
                    test = xml.getAttributeValue(null, "classname") + "." + xml.getAttributeValue(null, "name");
                    isListed = false;
                } else if (!isListed && (FAILED.contains(element) || FLAKY.contains(element))) {
                    (FAILED.contains(element) ? failed : flaky).add(test + message(xml) + files(report));
                    isListed = true;
                }
            }
        }
    }

    private void count(XMLStreamReader xml, String attribute, int index) {
        String value = xml.getAttributeValue(null, attribute);
        counts[index] += value == null ? 0 : Integer.parseInt(value);
    }

    private static String message(XMLStreamReader failure) {
        String message = failure.getAttributeValue(null, "message");
        String text = message == null || message.isBlank() ? failure.getAttributeValue(null, "type") : message;
        StringBuilder lines = new StringBuilder();
        text.lines()
                .filter(line -> !line.isBlank())
                .limit(MOST_LINES)
                .map(line -> line.length() > MOST_CHARACTERS ? line.substring(0, MOST_CHARACTERS) + "…" : line)
                .forEach(line -> lines.append("\n    ").append(line));
        return lines.toString();
    }

    /** Returns the file with the stack trace, and the one with what the tests of the class printed and logged, if they did. */
    private String files(Path report) {
        String name = report.getFileName().toString().replaceFirst("^TEST-(.*)\\.xml$", "$1");
        StringBuilder lines = new StringBuilder();
        for (String file : List.of(name + ".txt", name + "-output.txt")) {
            Path path = report.resolveSibling(file);
            if (Files.exists(path)) {
                lines.append("\n    ").append(folder.relativize(path));
            }
        }
        return lines.toString();
    }

    private void print(boolean onlyFaults) {
        list("Passed only on the second try", flaky);
        list("Failed", failed);
        if (!onlyFaults || counts[1] + counts[2] > 0) {
            System.out.printf("Tests run: %d, Failures: %d, Errors: %d, Skipped: %d%n", counts[0], counts[1], counts[2], counts[3]);
        }
    }

    private static void list(String title, List<String> tests) {
        if (!tests.isEmpty()) {
            System.out.println(title + ":");
            tests.forEach(test -> System.out.println("  " + test));
        }
    }
}
