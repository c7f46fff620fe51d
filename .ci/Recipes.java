import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Writes the complete files that a page shows, as a reader would paste them: {@code java .ci/Recipes.java src/main/java README.md …}. */
final class Recipes {

    private static final Pattern BLOCK =
            Pattern.compile("(?ms)^```java file\\n(package (\\S+);.*?^public class (\\w+).*?)^```");

    public static void main(String[] arguments) throws Exception {
        Path sources = Path.of(arguments[0]);
        for (int i = 1; i < arguments.length; i++) {
            Matcher block = BLOCK.matcher(Files.readString(Path.of(arguments[i])));
            while (block.find()) {
                Path file = sources.resolve(block.group(2).replace('.', '/')).resolve(block.group(3) + ".java");
                Files.createDirectories(file.getParent());
                if (Files.exists(file) && !Files.readString(file).equals(block.group(1))) {
                    throw new IllegalStateException("Two pages show different files named " + file.getFileName());
                }
                Files.writeString(file, block.group(1));
                System.out.println(arguments[i] + ": " + file.getFileName());
            }
        }
    }
}
