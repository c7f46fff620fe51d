package dev.holdfast.lock.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.docs.Page.Block;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.convert.ApplicationConversionService;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.io.ByteArrayResource;

/** The settings that the manual shows exist, and an application starts with them. */
class SettingsTest {

    private static final Pattern INLINE =
            Pattern.compile("`((?:holdfast|management|spring)\\.[a-z0-9.-]+[a-z0-9])(?:[=:][^`]*)?`");

    /** Names in the same style that are no settings (meters and observations), or are settings of JPA, which no module has. */
    private static final Set<String> OTHER = Set.of("holdfast.lock", "holdfast.job", "spring.jpa.open-in-view");

    private static final Map<String, String> KNOWN = metadata();

    static List<Page> pages() {
        return Page.all();
    }

    @ParameterizedTest
    @MethodSource("pages")
    void everyBlockOfSettingsBinds(Page page) {
        for (Block block : page.blocks()) {
            if (!block.mark().equals("yaml")) {
                continue;
            }
            Map<String, Object> settings = settings(block.text());
            assertThat(settings.keySet()).as(page.toString()).isNotEmpty().allMatch(SettingsTest::isKnown);
            new ApplicationContextRunner()
                    .withInitializer(context ->
                            context.getEnvironment().setConversionService(new ApplicationConversionService()))
                    .withInitializer(context -> context.getEnvironment()
                            .getPropertySources()
                            .addLast(new MapPropertySource("page", settings)))
                    .withUserConfiguration(Application.class)
                    .withPropertyValues(
                            // A page shows settings of locks that no annotation here declares.
                            "holdfast.test.slice=true",
                            "REDIS_PASSWORD=secret",
                            "spring.application.name=shop",
                            "spring.data.redis.port=1")
                    .run(context ->
                            assertThat(context).as(page + ":\n" + block.text()).hasNotFailed());
        }
    }

    @ParameterizedTest
    @MethodSource("pages")
    void everySettingInTheTextExists(Page page) {
        if (page.toString().equals("CHANGELOG.md") || page.toString().startsWith("docs/contributing/decisions")) {
            return; // They also name what there was.
        }
        assertThat(INLINE.matcher(page.prose()).results().map(match -> match.group(1)))
                .as(page.toString())
                .filteredOn(
                        name -> OTHER.stream().noneMatch(other -> name.equals(other) || name.startsWith(other + ".")))
                .allMatch(SettingsTest::isKnown);
    }

    /** The metadata has the settings of a lock as components of records, one for the spine and one for each feature that has some. */
    @Test
    void everySettingOfALockInTheReferenceExists() throws IOException, ClassNotFoundException {
        Set<String> known = new TreeSet<>();
        for (Map<String, Object> property : SettingMetadata.all()) {
            if (property.get("name").equals("holdfast.locks")) {
                String type = String.valueOf(property.get("type")).replaceFirst(".*,(.*)>", "$1");
                for (RecordComponent setting : Class.forName(type).getRecordComponents()) {
                    known.add(setting.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT));
                }
            }
        }
        assertThat(Files.readAllLines(Path.of("../../docs/configuration.md")).stream()
                        .filter(line -> line.startsWith("| `holdfast.locks.<name>."))
                        .map(line -> line.replaceFirst("^\\| `holdfast\\.locks\\.<name>\\.([a-z-]+)`.*", "$1")))
                .isNotEmpty()
                .doesNotHaveDuplicates()
                .isSubsetOf(known);
    }

    @Test
    void metadataIsFound() {
        assertThat(KNOWN).containsKeys("holdfast.watchdog-timeout", "spring.data.redis.host");
        assertThat(isKnown("holdfast.watchdog-time-out")).isFalse();
    }

    private static boolean isKnown(String name) {
        String plain = name.replaceAll("\\[\\d+\\]$", "");
        if (KNOWN.containsKey(plain)) {
            return true;
        }
        // A group of settings, or an entry of a map.
        return KNOWN.keySet().stream().anyMatch(known -> known.startsWith(plain + "."))
                || KNOWN.entrySet().stream()
                        .anyMatch(known -> known.getValue().startsWith("java.util.Map")
                                && (plain.startsWith(known.getKey() + ".") || plain.startsWith(known.getKey() + "[")))
                || plain.startsWith("management.observations.enable.")
                || plain.startsWith("management.metrics.enable.");
    }

    /** Returns whether the environment variable sets a property, as Spring Boot reads it. */
    static boolean isKnownVariable(String name) {
        return KNOWN.keySet().stream()
                .anyMatch(known -> known.replace("-", "")
                        .replace('.', '_')
                        .toUpperCase(Locale.ROOT)
                        .equals(name));
    }

    private static Map<String, Object> settings(String yaml) {
        try {
            Map<String, Object> settings = new LinkedHashMap<>();
            new YamlPropertySourceLoader()
                    .load("page", new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8)))
                    .forEach(source -> {
                        for (String name : ((EnumerablePropertySource<?>) source).getPropertyNames()) {
                            settings.put(name, source.getProperty(name));
                        }
                    });
            return settings;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Map<String, String> metadata() {
        Map<String, String> types = new TreeMap<>();
        SettingMetadata.all().forEach(each -> types.put((String) each.get("name"), String.valueOf(each.get("type"))));
        return types;
    }

    @Configuration(proxyBeanMethods = false)
    @AutoConfigurationPackage
    @EnableAutoConfiguration(
            excludeName = {
                "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
                "org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration"
            })
    static class Application {}
}
