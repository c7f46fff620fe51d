package dev.holdfast.lock.spring.shape;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Compiles the classes of shapes into a folder. */
final class ShapeCompiler {

    private ShapeCompiler() {}

    /** Returns a class loader with the classes of the shapes. */
    static URLClassLoader compile(Collection<Shape> shapes, Path folder) {
        Map<String, String> sources = new LinkedHashMap<>();
        shapes.forEach(shape -> sources.putAll(ShapeSource.of(shape)));
        return compile(sources, folder);
    }

    /** Compiles further classes, given by their names, and returns a new class loader of all classes in the folder. */
    static URLClassLoader compile(Map<String, String> code, Path folder) {
        List<JavaFileObject> sources = new ArrayList<>();
        code.forEach((name, text) -> sources.add(new Source(name, text)));
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
        StringWriter output = new StringWriter();
        boolean compiled = compiler.getTask(
                        output,
                        null,
                        diagnostics,
                        List.of(
                                "-d",
                                folder.toString(),
                                "-cp",
                                folder + File.pathSeparator + System.getProperty("java.class.path"),
                                "-parameters",
                                "-proc:none",
                                "-nowarn"),
                        null,
                        sources)
                .call();
        if (!compiled) {
            StringBuilder message = new StringBuilder(output.toString());
            diagnostics.getDiagnostics().stream()
                    .filter(each -> each.getKind() == javax.tools.Diagnostic.Kind.ERROR)
                    .limit(20)
                    .forEach(each ->
                            message.append('\n').append(each).append('\n').append(((Source) each.getSource()).code));
            throw new IllegalStateException("The generated code does not compile:" + message);
        }
        try {
            return new URLClassLoader(
                    new URL[] {folder.toUri().toURL()}, Thread.currentThread().getContextClassLoader());
        } catch (MalformedURLException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static final class Source extends SimpleJavaFileObject {

        private final String code;

        Source(String name, String code) {
            super(URI.create("string:///" + name.replace('.', '/') + ".java"), Kind.SOURCE);
            this.code = code;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) throws IOException {
            return code;
        }
    }
}
