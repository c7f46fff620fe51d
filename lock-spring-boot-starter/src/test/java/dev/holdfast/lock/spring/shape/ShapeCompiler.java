package dev.holdfast.lock.spring.shape;

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
import java.util.List;
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
        List<JavaFileObject> sources = new ArrayList<>();
        for (Shape shape : shapes) {
            ShapeSource.of(shape).forEach((name, code) -> sources.add(new Source(name, code)));
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
        StringWriter output = new StringWriter();
        boolean compiled = compiler.getTask(
                        output,
                        null,
                        diagnostics,
                        List.of("-d", folder.toString(), "-parameters", "-proc:none", "-nowarn", "-Xmaxerrs", "100000"),
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
