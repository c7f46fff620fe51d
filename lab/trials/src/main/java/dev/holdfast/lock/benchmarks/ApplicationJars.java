package dev.holdfast.lock.benchmarks;

import dev.holdfast.lock.benchmarks.StartedLibrary.Base;
import dev.holdfast.lock.benchmarks.application.Application;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;

/**
 * An application as Spring Boot's {@code jarmode=tools extract} makes it: a jar whose manifest names its libraries. The libraries are those of this
 * process' class path that the application would have. With {@code -Darchive=true} it starts from an archive of classes as Spring's documentation
 * describes it: CDS and, from JDK 25 on, an AOT cache.
 *
 * @param parts the names of the classes that the application consists of
 */
record ApplicationJars(StartedLibrary library, Base base, Path folder, List<String> options, List<String> parts) {

    private static final boolean ARCHIVED = Boolean.getBoolean("archive");

    private static final boolean HAS_CACHE = Runtime.version().feature() >= 25;

    private static final String PACKAGE = Application.class.getPackageName().replace('.', '/') + "/";

    /** Makes the requested applications, and those without a library, with which they are compared. */
    static List<ApplicationJars> all(Bench bench, Class<?>... more) {
        List<ApplicationJars> all = new ArrayList<>();
        for (String name : option("parts", "bare,redis")) {
            Base base = Base.valueOf(upper(name));
            for (String library : option("libraries", "starter,holdfast,shedlock,redisson")) {
                all.add(of(
                        StartedLibrary.valueOf(upper(library)),
                        base,
                        bench.server().port(),
                        more));
            }
            all.add(of(StartedLibrary.NONE, base, bench.server().port(), more));
        }
        return all;
    }

    private static String upper(String name) {
        return name.toUpperCase(Locale.ROOT);
    }

    private static String[] option(String name, String otherwise) {
        String given = System.getProperty(name, "");
        return (given.isEmpty() ? otherwise : given).split(",", -1);
    }

    /** Makes an application that finds Redis at the port. */
    static ApplicationJars of(StartedLibrary library, Base base, int port, Class<?>... more) {
        try {
            Path folder = Files.createDirectories(
                    Path.of("target", "applications", library + "-" + base).toAbsolutePath());
            Set<String> missing = library.jars(base);
            List<String> jars = new ArrayList<>();
            for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
                Path path = Path.of(entry);
                if (missing.remove(nameOf(path))) {
                    jars.add(added(path, folder));
                }
            }
            if (!missing.isEmpty()) {
                throw new IllegalStateException("This module has no dependency " + missing);
            }
            Manifest manifest = new Manifest();
            manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, Application.class.getName());
            manifest.getMainAttributes().put(Attributes.Name.CLASS_PATH, String.join(" ", jars));
            Path own = Path.of(Application.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            pack(own.resolve(PACKAGE), PACKAGE, folder.resolve("application.jar"), manifest);
            ApplicationJars made = new ApplicationJars(
                    library,
                    base,
                    folder,
                    // Redisson's starter requires the name of the server.
                    List.of("-Dspring.data.redis.host=127.0.0.1", "-Dspring.data.redis.port=" + port),
                    library.parts(base, more));
            return ARCHIVED ? made.archived() : made;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the name of a jar, or of the module whose classes are in a folder, without its version. */
    private static String nameOf(Path path) {
        Path named = Files.isDirectory(path) ? path.resolve("../..").normalize() : path;
        return named.getFileName().toString().replaceFirst("(-[0-9]+[.].*)?(\\.jar)?$", "");
    }

    /**
     * Adds a library to the application. An archive of classes has only those of jars that the manifest names by relative paths. The version stays in
     * the name of the jar, as in an extracted application, because the starter recognizes the jars of Spring by it.
     */
    private static String added(Path library, Path folder) throws IOException {
        boolean isModule = Files.isDirectory(library);
        String name =
                isModule ? nameOf(library) + ".jar" : library.getFileName().toString();
        Path jar = Files.createDirectories(folder.resolve("lib")).resolve(name);
        if (isModule) {
            pack(library, "", jar, new Manifest());
        } else {
            Files.copy(library, jar, StandardCopyOption.REPLACE_EXISTING);
        }
        return "lib/" + name;
    }

    private static void pack(Path from, String prefix, Path jar, Manifest manifest) throws IOException {
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        try (OutputStream out = Files.newOutputStream(jar);
                JarOutputStream packed = new JarOutputStream(out, manifest);
                Stream<Path> files = Files.walk(from)) {
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                String name = prefix + from.relativize(file);
                if (!name.equals("META-INF/MANIFEST.MF")) {
                    packed.putNextEntry(new JarEntry(name));
                    Files.copy(file, packed);
                }
            }
        }
    }

    private ApplicationJars archived() throws IOException {
        Path file = folder.resolve("application." + (HAS_CACHE ? "aot" : "jsa"));
        ApplicationJars training = with(
                (HAS_CACHE ? "-XX:AOTCacheOutput=" : "-XX:ArchiveClassesAtExit=") + file,
                "-Dspring.context.exit=onRefresh");
        Path log = folder.resolve("archive.log");
        new ProcessBuilder(training.command())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start()
                .onExit()
                .join();
        if (Files.notExists(file)) {
            throw new IllegalStateException(Files.readString(log));
        }
        return with((HAS_CACHE ? "-XX:AOTCache=" : "-XX:SharedArchiveFile=") + file);
    }

    /** Returns the application with more options of the JVM. */
    ApplicationJars with(String... more) {
        return new ApplicationJars(
                library,
                base,
                folder,
                Stream.concat(options.stream(), Stream.of(more)).toList(),
                parts);
    }

    private List<String> command() {
        List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java"));
        command.addAll(options);
        command.addAll(List.of("-jar", folder.resolve("application.jar").toString()));
        command.addAll(parts);
        return command;
    }

    String subject() {
        return library.subject(base);
    }

    /** Starts the application and waits until it is ready. */
    ApplicationProcess start() {
        return new ApplicationProcess(command());
    }
}
