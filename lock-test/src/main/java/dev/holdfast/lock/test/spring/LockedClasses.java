package dev.holdfast.lock.test.spring;

import dev.holdfast.lock.spring.declaration.LockAnnotations;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.util.ClassUtils;

/**
 * Checks an application's classes for locked methods that the startup would refuse, before the application starts: {@code
 * LockedClasses.check("com.example.shop")}. It applies the checks of the startup that need only the classes, and needs neither Redis nor beans.
 */
public final class LockedClasses {

    private static final Pattern TESTS =
            Pattern.compile(".*(/test-classes/|/classes/[^/]+/test/|/out/test/|/bin/test/).*");

    private LockedClasses() {}

    /** Fails if classes of these packages or of the packages in them would fail the startup. Leaves out test classes. */
    public static void check(String... packages) {
        fail(findings(packages));
    }

    /** Fails if these classes or their nested classes would fail the startup. */
    public static void check(Class<?>... types) {
        fail(findings(types));
    }

    private static void fail(List<String> findings) {
        if (!findings.isEmpty()) {
            throw new AssertionError(findings.stream()
                    .map(finding -> "\n- " + finding)
                    .collect(Collectors.joining("", "The application would not start:", "")));
        }
    }

    /**
     * {@return what {@link #check(String...)} would report} For a test that accepts some of it.
     *
     * @throws IllegalArgumentException if a package has no classes
     */
    public static List<String> findings(String... packages) {
        return findings(Stream.of(packages)
                .flatMap(name -> inPackage(name).stream())
                .distinct()
                .toList());
    }

    /** {@return what {@link #check(Class...)} would report} */
    public static List<String> findings(Class<?>... types) {
        return findings(Stream.of(types)
                .flatMap(type -> Stream.of(type.getNestMembers())
                        .filter(member -> member == type || member.getName().startsWith(type.getName() + "$")))
                .distinct()
                .toList());
    }

    private static List<String> findings(List<Class<?>> types) {
        return DeclaredLockChecks.findings(
                types.stream().filter(LockedClasses::isLocked).toList());
    }

    private static boolean isLocked(Class<?> type) {
        try {
            return !type.isAnnotation() && !LockAnnotations.lockedMethods(type).isEmpty();
        } catch (LinkageError optionalLibrary) {
            return false;
        }
    }

    private static List<Class<?>> inPackage(String name) {
        ClassLoader loader = ClassUtils.getDefaultClassLoader();
        String folder = ClassUtils.convertClassNameToResourcePath(name) + "/";
        try {
            Resource[] files =
                    new PathMatchingResourcePatternResolver(loader).getResources("classpath*:" + folder + "**/*.class");
            List<Class<?>> types = new ArrayList<>();
            for (Resource file : files) {
                String path = file.getURL().toString();
                if (!TESTS.matcher(path).matches()) {
                    load(path.substring(path.lastIndexOf("/" + folder) + 1), loader, types);
                }
            }
            if (types.isEmpty()) {
                throw new IllegalArgumentException(
                        "No classes were found in the package '" + name + "', or only test classes");
            }
            return types;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void load(String path, @Nullable ClassLoader loader, List<Class<?>> types) {
        String name = ClassUtils.convertResourcePathToClassName(path.substring(0, path.length() - ".class".length()));
        if (name.endsWith("-info")) {
            return;
        }
        try {
            types.add(ClassUtils.forName(name, loader));
        } catch (ClassNotFoundException | LinkageError optionalLibrary) {
            // The application cannot use the class either.
        }
    }
}
