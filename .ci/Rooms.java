import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionStatementTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.ImportTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.NewArrayTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/**
 * Removes one room after the other from a copy of the tree, and builds and tests what is left. A room is a package whose {@code package-info.java} says
 * "This package is a room". With it go its tests, and the lines outside of it that register it: imports, elements of lists and of annotations, statements,
 * bean methods, enum constants, and lines of resources. Whatever else names the room is a fault.
 */
final class Rooms {

    private static final String MARK = "This package is a room";
    private static final int MOST_NAMING = 2;
    private static final Path API = Path.of("dev/holdfast/lock/spring");
    private static final Path PAGE = Path.of("docs/contributing/architecture.md");
    private static final Pattern TABLE = Pattern.compile("(?m)^\\| room \\|.*\\n(\\|.*\\n)+");
    private static final Pattern TEST = Pattern.compile("@(Test|ParameterizedTest|TestFactory|ArchTest)\\b");

    /**
     * A room.
     *
     * @param naming the files of its module's main code outside of it that name it
     * @param users those of the other modules' main code
     * @param with the rooms that use it, and go with it
     */
    private record Room(String module, String name, String purpose, List<Path> files, List<Path> naming, List<Path> users, List<String> with) {

        /** Returns this room with the rooms of its module that use it, directly or not: they go with it. */
        Room with(Collection<Room> rooms) {
            Set<String> names = new TreeSet<>(Set.of(name));
            for (boolean grows = true; grows; ) {
                grows = false;
                for (Room other : rooms) {
                    grows |= rooms.stream().anyMatch(gone -> names.contains(gone.name) && other.uses(gone)) && names.add(other.name);
                }
            }
            Set<Path> gone = rooms.stream().filter(room -> names.contains(room.name)).flatMap(room -> room.files.stream()).collect(Collectors.toSet());
            names.remove(name);
            return new Room(module, name, purpose, files, naming.stream().filter(file -> !gone.contains(file)).toList(), users, List.copyOf(names));
        }

        private boolean uses(Room other) {
            return other.naming.stream().anyMatch(files::contains);
        }

        long lines() throws IOException {
            long lines = 0;
            for (Path file : files) {
                lines += Files.readAllLines(file).size();
            }
            return lines;
        }

        boolean isNamedIn(String text) {
            return names().anyMatch(gone -> isNamed(gone, text));
        }

        Stream<String> names() {
            return Stream.concat(Stream.of(name), with.stream());
        }

        private static boolean isNamed(String name, String text) {
            return Pattern.compile("\\b" + Pattern.quote(name) + "\\b(?!\\.[a-z])").matcher(text).find();
        }

        String row() throws IOException {
            return "| `" + name + "` | " + purpose + " | " + lines() + " | "
                    + naming.stream().map(file -> "`" + file.getFileName().toString().replaceFirst(".*\\.(?=\\w+\\.imports)", "") + "`").sorted().distinct().collect(Collectors.joining(", "))
                    + " | " + with.stream().map(other -> "`" + other.replaceFirst(".*\\.", "") + "`").collect(Collectors.joining(", "))
                    + " | " + users.size() + " |\n";
        }
    }

    public static void main(String[] arguments) throws Exception {
        List<String> wanted = new ArrayList<>(List.of(arguments));
        boolean quick = wanted.remove("--quick");
        boolean onlyTable = wanted.remove("--table");
        List<Path> tree = tracked();
        List<Room> rooms = rooms(tree);
        Files.writeString(PAGE, TABLE.matcher(Files.readString(PAGE)).replaceFirst(Matcher.quoteReplacement(table(rooms))));
        List<String> faults = new ArrayList<>();
        for (Room room : rooms) {
            // Spring and Java prescribe how many files below META-INF register a class.
            List<Path> sources = room.naming().stream().filter(file -> !file.toString().contains("META-INF")).toList();
            if (sources.size() > MOST_NAMING) {
                faults.add(room.name() + " is named in " + sources);
            }
        }
        if (!onlyTable) {
            Path copy = Files.createTempDirectory("rooms");
            for (Path file : tree) {
                copy(file, copy.resolve(file));
            }
            for (Room room : rooms) {
                if (wanted.isEmpty() || wanted.stream().anyMatch(room.name()::endsWith)) {
                    faults.addAll(new Removal(room, rooms, tree, copy).run(quick));
                }
            }
        }
        System.out.print(table(rooms));
        faults.forEach(fault -> System.out.println("FAULT: " + fault));
        System.exit(faults.isEmpty() ? 0 : 1);
    }

    private static String table(List<Room> rooms) throws IOException {
        StringBuilder table = new StringBuilder("| room | holds | lines | named outside in | rooms that use it | users in other modules |\n| --- | --- | ---: | --- | --- | ---: |\n");
        for (Room room : rooms) {
            table.append(room.row());
        }
        return table.toString();
    }

    private static List<Path> tracked() throws IOException {
        Process git = new ProcessBuilder("git", "ls-files", "--cached", "--others", "--exclude-standard").start();
        return new String(git.getInputStream().readAllBytes()).lines().map(Path::of).filter(Files::exists).sorted().toList();
    }

    private static List<Room> rooms(List<Path> tree) throws IOException {
        Map<String, Room> rooms = new TreeMap<>();
        for (Path file : tree) {
            if (file.endsWith("package-info.java") && isMain(file) && Files.readString(file).contains(MARK)) {
                Room room = room(file, tree);
                rooms.put(room.name(), room);
            }
        }
        return rooms.values().stream().map(room -> room.with(rooms.values())).toList();
    }

    private static Room room(Path info, List<Path> tree) throws IOException {
        Path folder = info.getParent();
        String module = info.toString().replaceFirst("/src/main/.*", "");
        String text = Files.readString(info);
        Matcher words = Pattern.compile("(?s)/\\*\\*(.*?)\\*/.*package ([\\w.]+);").matcher(text);
        if (!words.find()) {
            throw new IllegalStateException(info + " has no comment");
        }
        String purpose = words.group(1).replaceAll("\\s*\\n \\* ?", " ").strip().replaceAll(" \\(\\{@link [^)]*\\)", "").replaceAll("(?s)\\. .*|\\.$", "").replaceAll("\\{@\\w+ ([^}]*)}", "`$1`");
        Room empty = new Room(module, words.group(2), purpose, List.of(), List.of(), List.of(), List.of());
        List<Path> files = new ArrayList<>();
        List<Path> naming = new ArrayList<>();
        List<Path> users = new ArrayList<>();
        for (Path file : tree) {
            if (file.startsWith(folder)) {
                files.add(file);
            } else if (isMain(file) && !isBinary(file) && empty.isNamedIn(Files.readString(file))) {
                (file.startsWith(module) ? naming : users).add(file);
            }
        }
        return new Room(module, empty.name(), purpose, files, naming, users, List.of());
    }

    private static boolean isMain(Path file) {
        return file.toString().contains("src/main/");
    }

    private static boolean isBinary(Path file) {
        return !file.toString().matches(".*\\.(java|kt|imports|factories|xml|json|properties|ya?ml|lua)") && !file.toString().contains("META-INF/services");
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to.getParent());
        Files.deleteIfExists(to);
        Files.copy(from, to, java.nio.file.StandardCopyOption.COPY_ATTRIBUTES);
    }

    /** The removal of one room from the copy. */
    private static final class Removal {

        private final Room room;
        private final Collection<Room> rooms;
        private final List<Path> tree;
        private final Path copy;
        private final Set<Path> touched = new HashSet<>();
        private final List<String> faults = new ArrayList<>();
        private int tests;

        Removal(Room room, Collection<Room> rooms, List<Path> tree, Path copy) {
            this.room = room;
            this.rooms = rooms;
            this.tree = tree;
            this.copy = copy;
        }

        List<String> run(boolean quick) throws Exception {
            try {
                remove();
                if (faults.isEmpty()) {
                    build(quick);
                }
                return faults;
            } finally {
                for (Path file : touched) {
                    copy(file, copy.resolve(file));
                }
            }
        }

        private void remove() throws Exception {
            List<String> folders = room.names().map(name -> "java/" + name.replace('.', '/') + "/").toList();
            Pattern features = features(folders);
            for (Path file : tree) {
                if (!file.startsWith(room.module()) || isBinary(file)) {
                    continue;
                }
                String text = Files.readString(file);
                if (folders.stream().anyMatch(file.toString()::contains)) {
                    delete(file);
                } else if (!isMain(file) && file.toString().endsWith(".java") && (features.matcher(text).find() || room.isNamedIn(text) && TEST.matcher(text).find())) {
                    delete(file);
                    tests++;
                } else if (room.isNamedIn(text)) {
                    touched.add(file);
                    Files.writeString(copy.resolve(file), without(file, text));
                }
            }
            removeUsersOfTests();
        }

        /** Returns what finds a test of the rooms: it uses what the product does not have without them. */
        private Pattern features(List<String> folders) throws IOException {
            StringBuilder gone = new StringBuilder();
            StringBuilder spine = new StringBuilder();
            StringBuilder others = new StringBuilder();
            Map<String, String> api = new TreeMap<>();
            for (Path file : tree) {
                if (!file.startsWith(room.module() + "/src/main/java") || !file.toString().endsWith(".java")) {
                    continue;
                }
                String text = Files.readString(file);
                if (folders.stream().anyMatch(file.toString()::contains)) {
                    gone.append(text);
                } else if (file.getParent().endsWith(API)) {
                    api.put(file.getFileName().toString().replace(".java", ""), text);
                } else {
                    (rooms.stream().anyMatch(other -> other.files().contains(file)) ? others : spine).append(text);
                }
            }
            List<String> found = new ArrayList<>(List.of("(?!)"));
            // Settings are named after the components of the records that bind them.
            for (String text : gone.toString().split("\npackage ")) {
                Matcher components = Pattern.compile("record \\w+\\(([^)]*)\\)").matcher(text.contains("FeatureSettings.Properties {") ? text : "");
                while (components.find()) {
                    for (String component : components.group(1).split(",")) {
                        String name = component.replaceAll("(?s).*\\W", "").replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
                        if (!name.equals("locks")) {
                            found.add("\\bholdfast\\.(locks\\.[\\w-]+\\.)?" + name + "\\b(?!-)");
                        }
                    }
                }
            }
            // An attribute of an annotation that only the rooms read.
            Matcher attributes = Pattern.compile("(\\w+)\\(\\) default ").matcher(api.getOrDefault("DistributedLock", "") + api.getOrDefault("OncePerTick", ""));
            while (attributes.find()) {
                String literal = '"' + attributes.group(1) + '"';
                if (gone.indexOf(literal) >= 0 && spine.indexOf(literal) < 0) {
                    found.add("\\b" + attributes.group(1) + " = ");
                }
            }
            // A type of the API that only the rooms implement, make or read.
            for (String type : api.keySet()) {
                String made = "(implements|extends) [^{]*\\b" + type + "\\b|new " + type + "[(<]";
                if (has(gone, "\\b" + type + "\\b") && !has(spine, "\\b" + type + "\\b") && (!has(others, "\\b" + type + "\\b") || has(gone, made))) {
                    found.add("\\b" + type + "\\b");
                }
            }
            return Pattern.compile(String.join("|", found));
        }

        private static boolean has(CharSequence text, String word) {
            return Pattern.compile(word).matcher(text).find();
        }

        /** Removes tests that use what the removed tests declare. */
        private void removeUsersOfTests() throws IOException {
            for (int before = -1; before < tests; ) {
                before = tests;
                Set<String> gone = touched.stream()
                        .filter(file -> !isMain(file) && !Files.exists(copy.resolve(file)))
                        .map(file -> file.getFileName().toString().replace(".java", ""))
                        .collect(Collectors.toSet());
                for (Path file : tree) {
                    if (file.startsWith(room.module() + "/src/test") && file.toString().endsWith(".java") && Files.exists(copy.resolve(file))) {
                        String text = Files.readString(file);
                        if (Stream.of(text.split("\\W+")).anyMatch(gone::contains)) {
                            delete(file);
                            tests++;
                        }
                    }
                }
            }
        }

        private void delete(Path file) throws IOException {
            touched.add(file);
            Files.delete(copy.resolve(file));
        }

        private String without(Path file, String text) throws Exception {
            if (file.toString().endsWith("factories")) {
                return withoutEntries(text);
            }
            if (!file.toString().endsWith(".java") || file.endsWith("module-info.java")) {
                return text.lines().filter(line -> !room.isNamedIn(line)).collect(Collectors.joining("\n", "", "\n"));
            }
            return new Source(file, text).without();
        }

        private String withoutEntries(String text) {
            StringBuilder kept = new StringBuilder();
            for (String entry : text.replace("\\\n", "").lines().toList()) {
                String[] parts = entry.split("=", 2);
                String values = parts.length < 2
                        ? ""
                        : Stream.of(parts[1].split(",")).filter(value -> !room.isNamedIn(value)).collect(Collectors.joining(","));
                kept.append(parts.length < 2 ? entry + "\n" : values.isBlank() ? "" : parts[0] + "=" + values + "\n");
            }
            return kept.toString();
        }

        private void build(boolean quick) throws Exception {
            List<String> command = new ArrayList<>(List.of("./mvnw", "-q", "-B", "-Dspotless.check.skip", "-pl", room.module(), quick ? "test-compile" : "test"));
            if (!quick && room.module().equals("lock-spring-boot-starter")) {
                // Without those of lock-core, which is as it was.
                command.add("-Dtest=dev/holdfast/lock/spring/**");
            }
            if (Boolean.getBoolean("offline")) {
                command.add("-o");
            }
            Path log = Files.createTempFile("room-", ".txt");
            long begun = System.nanoTime();
            int status = new ProcessBuilder(command)
                    .directory(copy.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start()
                    .waitFor();
            System.out.printf(
                    "%s: %s without it and %d tests outside of it, %d s%n",
                    room.name(), status == 0 ? "builds" : "FAILS", tests, (System.nanoTime() - begun) / 1_000_000_000);
            if (status != 0) {
                faults.add(room.name() + " cannot be removed, see " + log + ":\n"
                        + Files.readAllLines(log).stream().filter(line -> line.contains("ERROR")).limit(8).collect(Collectors.joining("\n")));
            }
        }

        /** A source outside of the room that names it. */
        private final class Source {

            private final Path file;
            private final String text;
            private final CompilationUnitTree unit;
            private final Trees trees;
            /** The beginning and the end of each text that goes. */
            private final Map<Long, Long> cuts = new TreeMap<>(Comparator.reverseOrder());

            /** The simple names of what is removed. */
            private final Set<String> names = new HashSet<>();

            Source(Path file, String text) throws IOException {
                this.file = file;
                this.text = text;
                var compiler = ToolProvider.getSystemJavaCompiler();
                var files = compiler.getStandardFileManager(null, null, null);
                var task = (JavacTask) compiler.getTask(null, files, problem -> {}, null, null, files.getJavaFileObjects(file));
                this.unit = task.parse().iterator().next();
                this.trees = Trees.instance(task);
            }

            String without() {
                for (ImportTree imported : unit.getImports()) {
                    String name = imported.getQualifiedIdentifier().toString();
                    if (room.names().anyMatch(gone -> name.startsWith(gone + "."))) {
                        names.add(name.substring(name.lastIndexOf('.') + 1));
                        cut(imported);
                    }
                }
                new TreePathScanner<Void, Void>() {
                    @Override
                    public Void visitImport(ImportTree tree, Void nothing) {
                        return null;
                    }

                    @Override
                    public Void visitIdentifier(IdentifierTree tree, Void nothing) {
                        if (names.contains(tree.getName().toString())) {
                            cut(getCurrentPath());
                        }
                        return null;
                    }

                    @Override
                    public Void visitMemberSelect(MemberSelectTree tree, Void nothing) {
                        if (room.names().anyMatch(tree.getExpression().toString()::equals)) {
                            cut(getCurrentPath());
                            return null;
                        }
                        return super.visitMemberSelect(tree, nothing);
                    }
                }.scan(unit, null);
                StringBuilder rest = new StringBuilder(text);
                long before = Long.MAX_VALUE;
                for (Map.Entry<Long, Long> cut : cuts.entrySet()) {
                    if (cut.getValue() <= before) {
                        rest.delete(cut.getKey().intValue(), cut.getValue().intValue());
                        before = cut.getKey();
                    }
                }
                String words = names.stream().map(Pattern::quote).collect(Collectors.joining("|", "\\{@link(?:plain)? (?:", ")\\b[^}]*}"));
                return rest.toString().replaceAll(words, "what was removed");
            }

            /** Cuts out the registration around a name. */
            private void cut(TreePath name) {
                for (TreePath path = name; path.getParentPath() != null; path = path.getParentPath()) {
                    Tree tree = path.getLeaf();
                    Tree parent = path.getParentPath().getLeaf();
                    if (parent instanceof MethodInvocationTree call
                            && call.getArguments().contains(tree)
                            && call.getMethodSelect().toString().matches("(List|Set|Stream)\\.of")) {
                        cutElement(call.getArguments(), tree);
                        return;
                    }
                    if (parent instanceof NewArrayTree array && array.getInitializers() != null && array.getInitializers().contains(tree)) {
                        cutElement(array.getInitializers(), tree);
                        return;
                    }
                    if (parent instanceof AnnotationTree annotation && annotation.getArguments().contains(tree)) {
                        cutElement(annotation.getArguments(), tree);
                        return;
                    }
                    if (parent instanceof MethodTree method && isBean(method) && method.getParameters().contains(tree)) {
                        cutElement(method.getParameters(), tree);
                        return;
                    }
                    boolean isOwn = tree instanceof MethodTree method
                            && isBean(method)
                            && method.getReturnType() != null
                            && Stream.of(method.getReturnType().toString().split("\\W+")).anyMatch(names::contains);
                    boolean isConstant = tree instanceof VariableTree variable
                            && variable.getModifiers().toString().contains("enum")
                            && text.startsWith(variable.getName().toString(), (int) start(tree));
                    if (isOwn || isConstant || tree instanceof ExpressionStatementTree) {
                        cut(tree);
                        return;
                    }
                }
                faults.add(file + " is woven with " + room.name() + ", line " + unit.getLineMap().getLineNumber(start(name.getLeaf())));
            }

            private boolean isBean(MethodTree method) {
                return method.getModifiers().getAnnotations().stream().anyMatch(annotation -> annotation.getAnnotationType().toString().equals("Bean"));
            }

            private void cut(Tree tree) {
                long end = end(tree);
                // With the comma behind an enum constant.
                cuts.put(start(tree), text.startsWith(",", (int) end) ? end + 1 : end);
            }

            private void cutElement(List<? extends Tree> list, Tree element) {
                int index = list.indexOf(element);
                if (index > 0) {
                    cuts.put(end(list.get(index - 1)), end(element));
                } else {
                    cuts.put(start(element), list.size() > 1 ? start(list.get(1)) : end(element));
                }
            }

            private long start(Tree tree) {
                return trees.getSourcePositions().getStartPosition(unit, tree);
            }

            private long end(Tree tree) {
                return trees.getSourcePositions().getEndPosition(unit, tree);
            }
        }
    }
}
