import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipFile;

/**
 * Links the JVM in which Fray decides every switch between threads: the JDK that runs this, with Fray's calls in its classes. Puts the agents
 * beside it. Arguments: the target folder, and the class path on which Fray is.
 */
public final class LinkFray {

    /** On JDK 17, Fray does not know the threads of pools. */
    private static final int FEATURE = 25;

    private LinkFray() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        Path target = Path.of(args[0]);
        List<Path> jars =
                Stream.of(args[1].split(File.pathSeparator)).map(Path::of).toList();
        Path linked = target.resolve("jdk");
        if (Files.exists(linked)) {
            return;
        }
        if (Runtime.version().feature() != FEATURE) {
            throw new IllegalStateException("Fray instruments JDK " + FEATURE + ": point JAVA_HOME at one");
        }
        Files.createDirectories(target);
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().putValue("Premain-Class", "dev.holdfast.lock.simulation.FrayAgent");
        // The agent's class is a test class.
        new JarOutputStream(Files.newOutputStream(target.resolve("agent.jar")), manifest).close();
        try (ZipFile jvmti = new ZipFile(jar(jars, "fray-jvmti-").toFile());
                InputStream library = jvmti.getInputStream(jvmti.getEntry("libjvmti.so"))) {
            Files.copy(library, target.resolve("libjvmti.so"), StandardCopyOption.REPLACE_EXISTING);
        }
        String path = Stream.of("fray-instrumentation-jdk-", "fray-instrumentation-base-", "fray-runtime-", "kotlin-stdlib-", "kotlin-reflect-", "annotations-13", "asm-")
                .flatMap(name -> jars.stream().filter(jar -> jar.getFileName().toString().startsWith(name)))
                .map(Path::toString)
                .collect(Collectors.joining(File.pathSeparator));
        Path home = Path.of(System.getProperty("java.home"));
        Path modules = home.resolve("jmods");
        List<String> command = new ArrayList<>(List.of(
                home.resolve("bin/jlink").toString(),
                "-J-javaagent:" + jar(jars, "fray-instrumentation-jdk-"),
                "-J--module-path=" + path,
                "-J--add-modules=org.pastalab.fray.instrumentation.jdk",
                "-J--class-path=" + path,
                "--output=" + linked,
                "--add-modules=" + modules(),
                "--fray-instrumentation"));
        if (Files.exists(modules)) {
            command.add("--module-path=" + modules);
        }
        int status = new ProcessBuilder(command).inheritIO().start().waitFor();
        if (status != 0) {
            throw new IllegalStateException("jlink ended with " + status + ": " + String.join(" ", command));
        }
    }

    private static Path jar(List<Path> jars, String name) {
        return jars.stream()
                .filter(jar -> jar.getFileName().toString().startsWith(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("No " + name + "*.jar in " + jars));
    }

    /** All modules but jlink and what needs it, which a JDK without module files cannot link. */
    private static String modules() {
        return ModuleLayer.boot().modules().stream()
                .map(Module::getName)
                .filter(name -> !name.equals("jdk.jlink") && !name.equals("jdk.jpackage"))
                .collect(Collectors.joining(","));
    }
}
