package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.boot.actuate.LockHealthContributorAutoConfiguration.LockHealthProperties;
import dev.holdfast.lock.spring.boot.web.LockProblemsAutoConfiguration;
import dev.holdfast.lock.spring.declaration.LockSettings;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.boot.json.JsonParserFactory;

/** What an editor offers for {@code holdfast.*}, and what the reference in docs/configuration.md lists. */
class ConfigurationMetadataTest {

    private final List<Map<String, Object>> properties = list("properties");

    @Test
    void describesEveryKey() {
        assertThat(properties)
                .allSatisfy(each -> assertThat((String) each.get("description"))
                        .as(String.valueOf(each.get("name")))
                        .endsWith("."));
    }

    @Test
    void offersValues() {
        assertThat(list("hints"))
                .extracting(each -> each.get("name"))
                .contains("holdfast.watchdog-timeout", "holdfast.key-prefix", "holdfast.locks.keys");
    }

    /** With the provider "any" an editor offers the values, and does not mark others as wrong. */
    @Test
    void valuesOfFreeTextAreNotTheOnlyOnes() {
        assertThat(list("hints"))
                .filteredOn(hint ->
                        List.of("holdfast.locks.keys", "holdfast.client-name").contains(hint.get("name")))
                .hasSize(2)
                .allSatisfy(hint -> assertThat(hint.get("providers")).isEqualTo(List.of(Map.of("name", "any"))));
    }

    @Test
    void referenceListsEveryKey() throws IOException {
        String reference = Files.readString(Path.of("../docs/configuration.md"));
        assertThat(keys()).allSatisfy(key -> assertThat(reference).contains("| `" + key + "` |"));
        assertThat(keysOfLock())
                .allSatisfy(key -> assertThat(reference).contains("| `holdfast.locks.<name>." + key + "` |"));
    }

    private static TreeSet<String> keys() {
        TreeSet<String> keys = names(LockProperties.class).stream()
                .filter(name -> !name.equals("locks"))
                .map(name -> LockProperties.PREFIX + "." + name)
                .collect(Collectors.toCollection(TreeSet::new));
        names(LockHealthProperties.class).forEach(name -> keys.add(LockHealthProperties.PREFIX + "." + name));
        keys.add("management.health.holdfast.enabled");
        keys.add(LockProblemsAutoConfiguration.SWITCH);
        return keys;
    }

    /** Returns the settings of a single lock. */
    static List<String> keysOfLock() {
        return names(LockSettings.class);
    }

    private static List<String> names(Class<?> properties) {
        return Arrays.stream(properties.getRecordComponents())
                .map(component ->
                        component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(java.util.Locale.ROOT))
                .toList();
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> list(String what) {
        try (InputStream file =
                LockProperties.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            // Other jars have one as well; ours comes first, being a folder of this module.
            String text = new String(file.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
            return (List<Map<String, Object>>)
                    JsonParserFactory.getJsonParser().parseMap(text).get(what);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
