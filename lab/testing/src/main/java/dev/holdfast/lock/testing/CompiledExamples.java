package dev.holdfast.lock.testing;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** The Java examples of a page that bear a mark after {@code java}. Each is a whole file and compiles as shown, with the test's class path. */
public final class CompiledExamples {

    private static final Pattern TYPE =
            Pattern.compile("(?m)^(?:public )?(?:final )?(?:class|interface|record) (\\w+)");

    private CompiledExamples() {}

    /**
     * Compiles a page's examples.
     *
     * @param classes an empty folder
     * @return how many examples there are
     * @throws AssertionError with the compiler's messages if one does not compile
     */
    public static int compile(Path page, String mark, Path classes) throws IOException {
        List<JavaFileObject> sources = Pattern.compile("(?ms)^```java " + mark + "\\n(.*?)^```")
                .matcher(Files.readString(page))
                .results()
                .map(block -> source(block.group(1)))
                .toList();
        StringWriter errors = new StringWriter();
        List<String> options = List.of(
                "-d",
                classes.toString(),
                "-classpath",
                System.getProperty("java.class.path"),
                "-proc:none",
                "-parameters");
        if (!sources.isEmpty()
                && !ToolProvider.getSystemJavaCompiler()
                        .getTask(errors, null, null, options, null, sources)
                        .call()) {
            throw new AssertionError(page + ": " + errors);
        }
        return sources.size();
    }

    private static JavaFileObject source(String text) {
        Matcher type = TYPE.matcher(text);
        if (!type.find()) {
            throw new AssertionError("The example declares no type: " + text);
        }
        return new SimpleJavaFileObject(
                URI.create("string:///" + type.group(1) + ".java"), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return text;
            }
        };
    }
}
