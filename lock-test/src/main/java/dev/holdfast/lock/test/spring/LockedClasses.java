package dev.holdfast.lock.test.spring;

import dev.holdfast.lock.spring.aspectj.DistributedLockAspect;
import dev.holdfast.lock.spring.interceptor.LockOperationSource;
import dev.holdfast.lock.test.spring.LockFinding.Kind;
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
 * Checks an application's classes for methods that would run without their locks, before the application starts: {@code
 * LockedClasses.check("com.example.shop")}. It reads the class files and needs neither Redis nor beans.
 *
 * <p>It finds calls through {@code this} to a locked method, in methods, constructors, lambdas, method references, inner classes, superclasses, and to
 * functions of Kotlin with default arguments. Proxies cannot see such calls. It does not report a call through an injected self, {@code super} from
 * the method of the same name, and anything if AspectJ's weaver runs in this JVM. It also applies the checks of the application's startup that need
 * only the classes.
 */
public final class LockedClasses {

    private static final Pattern TESTS =
            Pattern.compile(".*(/test-classes/|/classes/[^/]+/test/|/out/test/|/bin/test/).*");

    private LockedClasses() {}

    /** Fails if classes of these packages or of the packages in them would run methods without their locks, or fail the startup. Leaves out test classes. */
    public static void check(String... packages) {
        fail(findings(packages));
    }

    /** Fails if these classes or their nested classes would run methods without their locks, or fail the startup. */
    public static void check(Class<?>... types) {
        fail(findings(types));
    }

    private static void fail(List<LockFinding> findings) {
        if (!findings.isEmpty()) {
            throw new AssertionError(Stream.of(
                            under("Methods would run without their locks", Kind.SELF_CALL, findings),
                            under("The application would not start", Kind.DECLARATION, findings))
                    .flatMap(List::stream)
                    .collect(Collectors.joining("\n")));
        }
    }

    private static List<String> under(String heading, Kind kind, List<LockFinding> findings) {
        List<String> lines = new ArrayList<>();
        findings.stream().filter(finding -> finding.kind() == kind).forEach(finding -> lines.add("- " + finding));
        if (!lines.isEmpty()) {
            lines.add(0, heading + ":");
        }
        return lines;
    }

    /**
     * {@return what {@link #check(String...)} would report} For a test that accepts some of it.
     *
     * @throws IllegalArgumentException if a package has no classes
     */
    public static List<LockFinding> findings(String... packages) {
        return findings(Stream.of(packages)
                .flatMap(name -> inPackage(name).stream())
                .distinct()
                .toList());
    }

    /** {@return what {@link #check(Class...)} would report} */
    public static List<LockFinding> findings(Class<?>... types) {
        return findings(Stream.of(types)
                .flatMap(type -> Stream.of(type.getNestMembers())
                        .filter(member -> member == type || member.getName().startsWith(type.getName() + "$")))
                .distinct()
                .toList());
    }

    private static List<LockFinding> findings(List<Class<?>> types) {
        List<Class<?>> locked = types.stream().filter(LockedClasses::isLocked).toList();
        List<LockFinding> findings = new ArrayList<>();
        // The weaver adds this method to an aspect that it uses. Woven methods take their locks for every caller.
        if (!ClassUtils.hasMethod(DistributedLockAspect.class, "aspectOf")) {
            List<SelfCall> calls =
                    types.stream().flatMap(type -> SelfCalls.of(type).stream()).toList();
            calls.stream()
                    .flatMap(call -> locked.stream()
                            .filter(call::reachesLock)
                            .limit(1)
                            .map(type -> new LockFinding(Kind.SELF_CALL, call.place(), call.description(type))))
                    .distinct()
                    .forEach(findings::add);
        }
        findings.addAll(DeclaredLockChecks.findings(locked));
        return findings;
    }

    private static boolean isLocked(Class<?> type) {
        try {
            return !type.isAnnotation()
                    && !LockOperationSource.lockedMethods(type).isEmpty();
        } catch (LinkageError optionalLibrary) {
            return false;
        } catch (IllegalStateException e) {
            if (e.getCause() instanceof LinkageError) {
                return false;
            }
            throw e;
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
