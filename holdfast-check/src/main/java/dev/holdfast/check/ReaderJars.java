package dev.holdfast.check;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The jars of the reader's application. They have other versions of classes that are in the jar of the check, such as Netty's, so they are loaded
 * apart from it.
 */
final class ReaderJars {

    private final List<Path> files;

    /** @param classPath files and folders, as the option {@code -classpath} of {@code java} has them. A folder stands for its jars, too */
    ReaderJars(String classPath) {
        this.files = Stream.of(classPath.split(File.pathSeparator, -1))
                .filter(entry -> !entry.isBlank())
                .map(Path::of)
                .flatMap(ReaderJars::withJars)
                .toList();
    }

    private static Stream<Path> withJars(Path path) {
        if (!Files.isDirectory(path)) {
            return Stream.of(path);
        }
        try (Stream<Path> all = Files.list(path)) {
            List<Path> jars = all.filter(each -> each.toString().endsWith(".jar"))
                    .sorted()
                    .toList();
            return Stream.concat(Stream.of(path), jars.stream());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns a loader of these jars, which sees nothing but them and the JDK. */
    ClassLoader loader() {
        return new URLClassLoader(
                files.stream().map(ReaderJars::url).toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    }

    private static URL url(Path file) {
        try {
            return file.toUri().toURL();
        } catch (MalformedURLException e) {
            throw new IllegalArgumentException(file.toString(), e);
        }
    }

    /** Returns the version in the name of a jar; empty if there is no such jar. */
    String version(String jar) {
        Pattern name = Pattern.compile(Pattern.quote(jar) + "-(\\d.*)\\.jar");
        return files.stream()
                .map(file -> name.matcher(file.getFileName().toString()))
                .filter(Matcher::matches)
                .map(found -> found.group(1))
                .findFirst()
                .orElse("");
    }

    /** @throws IllegalStateException if the library is not in the jars */
    void require(CheckedLibrary library) {
        try {
            Class.forName(library.entry(), false, loader());
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException("--class-path must contain the jars of " + library.title()
                    + " and of what it needs. It has no " + library.entry());
        }
    }
}
