package dev.holdfast.lock.spring.shape;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import javax.tools.ToolProvider;

/** Compiles the classes of shapes into a folder. */
final class ShapeCompiler {

    private ShapeCompiler() {}

    /** Returns a class loader with the classes of the shapes. */
    static URLClassLoader compile(Collection<Shape> shapes, Path folder) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(
                "-d",
                folder.toString(),
                "-cp",
                folder + File.pathSeparator + System.getProperty("java.class.path"),
                "-parameters",
                "-proc:none",
                "-nowarn"));
        for (Shape shape : shapes) {
            for (Map.Entry<String, String> source : ShapeSource.of(shape).entrySet()) {
                Path file = folder.resolve(source.getKey().replace('.', '/') + ".java");
                Files.createDirectories(file.getParent());
                Files.writeString(file, source.getValue());
                arguments.add(file.toString());
            }
        }
        ByteArrayOutputStream messages = new ByteArrayOutputStream();
        if (ToolProvider.getSystemJavaCompiler().run(null, null, messages, arguments.toArray(String[]::new)) != 0) {
            throw new IllegalStateException(
                    "The generated code does not compile:\n" + messages.toString(StandardCharsets.UTF_8));
        }
        return new URLClassLoader(
                new URL[] {folder.toUri().toURL()}, Thread.currentThread().getContextClassLoader());
    }
}
