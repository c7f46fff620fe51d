package dev.holdfast.lock.test.spring;

import dev.holdfast.lock.spring.OnEveryInstance;
import dev.holdfast.lock.spring.declaration.LockAnnotations;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.annotation.Annotation;
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

    private final List<Class<?>> types;

    private LockedClasses(List<Class<?>> types) {
        this.types = types;
    }

    /**
     * Fails if classes of these packages or of the packages in them would fail the startup. Leaves out test classes.
     *
     * @return the classes, for further checks
     */
    public static LockedClasses check(String... packages) {
        return startable(inPackages(packages));
    }

    /**
     * Fails if these classes or their nested classes would fail the startup.
     *
     * @return the classes, for further checks
     */
    public static LockedClasses check(Class<?>... types) {
        return startable(nested(types));
    }

    private static LockedClasses startable(List<Class<?>> types) {
        fail("The application would not start:", findings(types));
        return new LockedClasses(types);
    }

    /**
     * Fails if a {@code @Scheduled} method runs on every instance without saying so: it has no lock, and no {@link OnEveryInstance}. Fails also if it
     * has both.
     *
     * @param otherLocks annotations of other libraries with which a method does not run on every instance, such as ShedLock's {@code @SchedulerLock}
     * @return the classes, for further checks
     */
    @SafeVarargs
    public final LockedClasses everyScheduledMethodHasALock(Class<? extends Annotation>... otherLocks) {
        List<Class<? extends Annotation>> others = new ArrayList<>();
        for (Class<? extends Annotation> other : otherLocks) {
            others.add(other);
        }
        fail("Scheduled methods do not say on which instances they run:", ScheduledMethods.findings(types, others));
        return this;
    }

    private static void fail(String what, List<String> findings) {
        if (!findings.isEmpty()) {
            throw new AssertionError(
                    findings.stream().map(finding -> "\n- " + finding).collect(Collectors.joining("", what, "")));
        }
    }

    /**
     * {@return what {@link #check(String...)} would report} For a test that accepts some of it.
     *
     * @throws IllegalArgumentException if a package has no classes
     */
    public static List<String> findings(String... packages) {
        return findings(inPackages(packages));
    }

    /** {@return what {@link #check(Class...)} would report} */
    public static List<String> findings(Class<?>... types) {
        return findings(nested(types));
    }

    private static List<Class<?>> nested(Class<?>... types) {
        return Stream.of(types)
                .<Class<?>>flatMap(type -> Stream.of(type.getNestMembers())
                        .filter(member -> member == type || member.getName().startsWith(type.getName() + "$")))
                .distinct()
                .toList();
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

    private static List<Class<?>> inPackages(String... names) {
        return Stream.of(names)
                .flatMap(name -> inPackage(name).stream())
                .distinct()
                .toList();
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
