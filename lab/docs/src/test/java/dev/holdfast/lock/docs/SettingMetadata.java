package dev.holdfast.lock.docs;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.springframework.boot.json.JsonParserFactory;

/** The metadata of all settings on the class path, as editors show them. */
final class SettingMetadata {

    private SettingMetadata() {}

    /** Returns the properties of each setting, such as its name, type and default value. */
    @SuppressWarnings("unchecked") // The format of the metadata is Spring Boot's.
    static List<Map<String, Object>> all() {
        List<Map<String, Object>> all = new ArrayList<>();
        try {
            for (URL file : Collections.list(SettingMetadata.class
                    .getClassLoader()
                    .getResources("META-INF/spring-configuration-metadata.json"))) {
                try (InputStream json = file.openStream()) {
                    Map<String, Object> metadata = JsonParserFactory.getJsonParser()
                            .parseMap(new String(json.readAllBytes(), StandardCharsets.UTF_8));
                    all.addAll((List<Map<String, Object>>) metadata.get("properties"));
                }
            }
            return all;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
