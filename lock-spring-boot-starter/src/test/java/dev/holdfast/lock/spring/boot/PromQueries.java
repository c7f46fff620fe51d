package dev.holdfast.lock.spring.boot;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.yaml.snakeyaml.Yaml;

/** The queries in a dashboard or a file of rules, and what they ask for. */
final class PromQueries {

    private static final Pattern METER = Pattern.compile("holdfast_[a-z_]+");
    private static final Pattern MATCHER = Pattern.compile("(\\w+)(?:=~|!~|!=|=)\"([^\"]*)\"");
    private static final Pattern GROUPED = Pattern.compile("by \\(([^)]*)\\)");

    private PromQueries() {}

    /** The values of all entries called "expr". Every JSON file is also YAML. */
    static List<String> of(Path file) throws IOException {
        return queries(new Yaml().<Object>load(Files.readString(file))).toList();
    }

    private static Stream<String> queries(Object part) {
        if (part instanceof Map<?, ?> map) {
            return map.entrySet().stream()
                    .flatMap(entry -> "expr".equals(entry.getKey())
                            ? Stream.of(String.valueOf(entry.getValue()))
                            : queries(entry.getValue()));
        }
        return part instanceof Collection<?> parts ? parts.stream().flatMap(PromQueries::queries) : Stream.empty();
    }

    static Set<String> meters(String query) {
        return METER.matcher(query).results().map(match -> match.group()).collect(Collectors.toSet());
    }

    /** The labels that a query compares or groups by. */
    static Set<String> labels(String query) {
        Stream<String> compared = MATCHER.matcher(query).results().map(match -> match.group(1));
        Stream<String> grouped = GROUPED.matcher(query)
                .results()
                .flatMap(match -> Stream.of(match.group(1).split(", *")));
        return Stream.concat(compared, grouped).collect(Collectors.toSet());
    }

    static List<String> values(String query) {
        return MATCHER.matcher(query).results().map(match -> match.group(2)).toList();
    }
}
