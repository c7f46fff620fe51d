package dev.holdfast.lock.docs;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.FieldVisitor;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;

/** The classes of jars and folders, read without loading them. */
final class Jars {

    /** A class with its own members. */
    record ClassFile(String name, int access, Set<String> members, Set<String> texts, List<String> supertypes) {

        boolean isAnnotation() {
            return (access & Opcodes.ACC_ANNOTATION) != 0;
        }

        String simpleName() {
            return name.substring(Math.max(name.lastIndexOf('/'), name.lastIndexOf('$')) + 1);
        }
    }

    private final Map<String, Path> files = new HashMap<>();
    private final Map<String, List<String>> bySimpleName = new HashMap<>();
    private final Map<String, ClassFile> read = new HashMap<>();

    private Jars() {}

    static Jars of(Collection<Path> jarsAndFolders) {
        Jars jars = new Jars();
        for (Path each : jarsAndFolders) {
            if (Files.isDirectory(each)) {
                jars.add(each);
            } else if (Files.exists(each)) {
                jars.add(opened(URI.create("jar:" + each.toUri())).getPath("/"));
            }
        }
        return jars;
    }

    /** What the examples of the manual compile against, and the jars of a folder. */
    static Jars ofClassPathAnd(Path folder) {
        List<Path> all = new ArrayList<>();
        for (String each : System.getProperty("java.class.path").split(System.getProperty("path.separator"))) {
            all.add(Path.of(each));
        }
        try (Stream<Path> more = Files.list(folder)) {
            more.forEach(all::add);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Jars jars = of(all);
        for (String module : List.of("java.base", "java.sql", "java.logging", "java.management")) {
            jars.add(FileSystems.getFileSystem(URI.create("jrt:/")).getPath("modules", module));
        }
        return jars;
    }

    private static FileSystem opened(URI jar) {
        try {
            return FileSystems.newFileSystem(jar, Map.of());
        } catch (java.nio.file.FileSystemAlreadyExistsException e) {
            return FileSystems.getFileSystem(jar);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void add(Path root) {
        try (Stream<Path> all = Files.walk(root)) {
            all.filter(file -> file.toString().endsWith(".class"))
                    .filter(file -> !file.startsWith(root.resolve("META-INF")))
                    .forEach(file -> {
                        String name = root.relativize(file).toString().replaceAll("\\.class$", "");
                        files.putIfAbsent(name, file);
                        bySimpleName
                                .computeIfAbsent(name.replaceAll(".*[/$]", ""), simple -> new ArrayList<>())
                                .add(name);
                    });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    List<ClassFile> named(String simpleName) {
        return bySimpleName.getOrDefault(simpleName, List.of()).stream()
                .map(this::read)
                .toList();
    }

    /** The classes whose full name begins so. */
    List<ClassFile> in(String prefix) {
        return files.keySet().stream()
                .filter(name -> name.startsWith(prefix))
                .sorted()
                .map(this::read)
                .toList();
    }

    /** Whether the class or one of its supertypes has a method or field of that name. */
    boolean hasMember(ClassFile type, String member) {
        return type.members().contains(member)
                || type.supertypes().stream()
                        .filter(files::containsKey)
                        .anyMatch(parent -> hasMember(read(parent), member));
    }

    private ClassFile read(String name) {
        ClassFile known = read.get(name);
        if (known == null) {
            known = parse(files.get(name));
            read.put(name, known);
        }
        return known;
    }

    private static ClassFile parse(Path file) {
        Set<String> members = new TreeSet<>();
        Set<String> texts = new HashSet<>();
        ClassReader reader;
        try (InputStream in = Files.newInputStream(file)) {
            reader = new ClassReader(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        reader.accept(
                new ClassVisitor(SpringAsmInfo.ASM_VERSION) {
                    @Override
                    public MethodVisitor visitMethod(
                            int access,
                            String name,
                            String type,
                            @Nullable String generic,
                            String @Nullable [] thrown) {
                        members.add(name);
                        return new MethodVisitor(SpringAsmInfo.ASM_VERSION) {
                            @Override
                            public void visitLdcInsn(Object constant) {
                                texts.add(String.valueOf(constant));
                            }
                        };
                    }

                    @Override
                    public FieldVisitor visitField(
                            int access, String name, String type, @Nullable String generic, @Nullable Object value) {
                        members.add(name);
                        texts.add(String.valueOf(value));
                        return null;
                    }
                },
                ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
        List<String> supertypes = new ArrayList<>(List.of(reader.getInterfaces()));
        if (reader.getSuperName() != null) {
            supertypes.add(reader.getSuperName());
        }
        return new ClassFile(reader.getClassName(), reader.getAccess(), members, texts, supertypes);
    }
}
