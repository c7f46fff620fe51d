import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.Node;

/**
 * Checks a staged repository against the rules of Maven Central, and against ours: {@code java .ci/CentralRules.java target/staging}. Signatures
 * and checksums are not checked: the upload makes them.
 */
final class CentralRules {

    /** What a release consists of. A module that is missing, or one too many, is an accident. */
    private static final Set<String> MODULES = new TreeSet<>(List.of(
            "holdfast-bom",
            "holdfast-check",
            "holdfast-rewrite",
            "lock-core",
            "lock-fencing",
            "lock-kotlin",
            "lock-shedlock",
            "lock-spring-boot-starter",
            "lock-spring-integration",
            "lock-test"));

    /** What follows a module's name and version in the names of its files. */
    private static final Set<String> KINDS =
            Set.of(".pom", ".jar", "-sources.jar", "-javadoc.jar", "-cyclonedx.json");

    private final List<String> faults = new ArrayList<>();

    public static void main(String[] arguments) throws Exception {
        CentralRules rules = new CentralRules();
        int poms = rules.check(Path.of(arguments[0]));
        rules.faults.forEach(System.err::println);
        if (!rules.faults.isEmpty()) {
            System.exit(1);
        }
        System.out.println(poms + " modules pass the rules of Maven Central");
    }

    private int check(Path staging) throws Exception {
        List<Path> poms;
        try (Stream<Path> files = Files.walk(staging)) {
            poms = files.filter(file -> file.toString().endsWith(".pom")).sorted().toList();
        }
        Set<String> found = new TreeSet<>();
        for (Path pom : poms) {
            found.add(check(pom, staging));
        }
        checkNothingElse(staging);
        if (!found.equals(MODULES)) {
            faults.add("Staged are " + found + ", a release has " + MODULES);
        }
        return poms.size();
    }

    private String check(Path pom, Path staging) throws Exception {
        Document document = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(pom.toFile());
        Element project = document.getDocumentElement();
        String group = text(project, "groupId");
        String artifact = text(project, "artifactId");
        String version = text(project, "version");
        Path folder = staging.resolve(group.replace('.', '/')).resolve(artifact).resolve(version);
        demand(pom.getParent().equals(folder), pom, "has other coordinates than its folder");
        demand(!version.endsWith("-SNAPSHOT"), pom, "is a snapshot");
        for (String element : List.of("name", "description", "url")) {
            demand(!text(project, element).isBlank(), pom, "has no <" + element + ">");
        }
        for (String element : List.of("licenses", "developers", "scm")) {
            demand(child(project, element) != null, pom, "has no <" + element + ">");
        }
        for (String element : List.of("parent", "repositories", "pluginRepositories", "build", "profiles")) {
            demand(child(project, element) == null, pom, "has <" + element + ">");
        }
        String content = Files.readString(pom);
        demand(!content.contains("${"), pom, "has an expression that nobody resolves");
        demand(!content.contains("-SNAPSHOT"), pom, "depends on a snapshot");
        demand(!content.contains("<scope>test</scope>"), pom, "lists test dependencies");
        if (!"pom".equals(text(project, "packaging"))) {
            String base = artifact + "-" + version;
            for (String file : List.of(base + ".jar", base + "-sources.jar", base + "-javadoc.jar")) {
                checkJar(folder.resolve(file), pom);
            }
            demand(Files.exists(folder.resolve(base + "-cyclonedx.json")), pom, "has no SBOM");
            for (Node each : children(child(project, "dependencies"))) {
                demand(!text((Element) each, "version").isBlank(), pom, "has a dependency without a version");
            }
        }
        return artifact;
    }

    /** Everything that a module attaches is uploaded, and cannot be taken back: a jar of tests, for example. */
    private void checkNothingElse(Path staging) throws IOException {
        try (Stream<Path> files = Files.walk(staging)) {
            files.filter(Files::isRegularFile).filter(file -> !isKnown(file)).forEach(file ->
                    faults.add(staging.relativize(file) + " is no part of a release"));
        }
    }

    private static boolean isKnown(Path file) {
        Path version = file.getParent();
        String name = file.getFileName().toString().replaceFirst("(\\.asc)?(\\.(md5|sha1|sha256|sha512))?$", "");
        if (name.equals("maven-metadata.xml")) {
            return true;
        }
        String base = version.getParent().getFileName() + "-" + version.getFileName();
        return name.startsWith(base) && KINDS.contains(name.substring(base.length()));
    }

    private void checkJar(Path jar, Path pom) throws IOException {
        if (!Files.exists(jar)) {
            faults.add(pom + ": no " + jar.getFileName());
            return;
        }
        try (ZipFile zip = new ZipFile(jar.toFile())) {
            demand(zip.size() > 3, pom, jar.getFileName() + " is empty");
            if (!jar.toString().endsWith("-sources.jar") && !jar.toString().endsWith("-javadoc.jar")) {
                demand(zip.getEntry("META-INF/LICENSE") != null, pom, jar.getFileName() + " has no license");
            }
            if (jar.toString().endsWith("-javadoc.jar")) {
                demand(zip.getEntry("index.html") != null, pom, jar.getFileName() + " has no index.html");
            }
        }
    }

    private void demand(boolean holds, Path pom, String fault) {
        if (!holds) {
            faults.add(pom.getFileName() + " " + fault);
        }
    }

    private static String text(Element parent, String name) {
        Element found = child(parent, name);
        return found == null ? "" : found.getTextContent().strip();
    }

    private static Element child(Element parent, String name) {
        for (Node each : children(parent)) {
            if (each.getNodeName().equals(name)) {
                return (Element) each;
            }
        }
        return null;
    }

    private static List<Node> children(Element parent) {
        List<Node> children = new ArrayList<>();
        for (Node each = parent == null ? null : parent.getFirstChild(); each != null; each = each.getNextSibling()) {
            if (each instanceof Element) {
                children.add(each);
            }
        }
        return children;
    }
}
