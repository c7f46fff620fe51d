package dev.holdfast.lock.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.yaml.snakeyaml.Yaml;

/** The manifest fits the settings that it makes. No cluster is needed. */
class KubernetesTest {

    /** How long listeners of an election may delay the release of its lock. */
    private static final long ELECTIONS = 10;

    /** Variables that no setting of Spring Boot has. */
    private static final Set<String> OTHERS = Set.of("POD_NAME", "JAVA_TOOL_OPTIONS");

    private final List<Map<String, Object>> manifests = manifests();

    private final Map<String, Object> pod = at(manifests.get(0), "spec", "template", "spec");

    @SuppressWarnings("unchecked") // The format of a manifest is that of Kubernetes.
    private final Map<String, Object> container = ((List<Map<String, Object>>) pod.get("containers")).get(0);

    @SuppressWarnings("unchecked") // The format of a manifest is that of Kubernetes.
    private static Map<String, Object> at(Map<String, Object> part, String... path) {
        Map<String, Object> found = part;
        for (String name : path) {
            found = (Map<String, Object>) found.get(name);
        }
        return found;
    }

    @SuppressWarnings("unchecked") // The format of a manifest is that of Kubernetes.
    private static List<Map<String, Object>> manifests() {
        List<Map<String, Object>> manifests = new ArrayList<>();
        new Yaml()
                .loadAll(Page.of("docs/kubernetes.yml").text())
                .forEach(each -> manifests.add((Map<String, Object>) each));
        return manifests;
    }

    @SuppressWarnings("unchecked") // The format of a manifest is that of Kubernetes.
    private Map<String, Object> variables() {
        Map<String, Object> variables = new HashMap<>();
        ((List<Map<String, Object>>) container.get("env"))
                .forEach(each -> variables.put((String) each.get("name"), each.get("value")));
        return variables;
    }

    private long seconds(String variable) {
        Duration time =
                DurationFormatterUtils.detectAndParse((String) variables().get(variable));
        return time.toSeconds();
    }

    @Test
    void podLivesLongerThanItsApplicationNeedsToStop() {
        long sleep = (int) at(container, "lifecycle", "preStop", "sleep").get("seconds");
        long needed = sleep
                + 2 * seconds("SPRING_LIFECYCLE_TIMEOUTPERSHUTDOWNPHASE")
                + ELECTIONS
                + seconds("HOLDFAST_SHUTDOWNGRACE");

        assertThat((int) pod.get("terminationGracePeriodSeconds")).isGreaterThan((int) needed);
    }

    @Test
    void everyVariableIsASetting() {
        assertThat(variables().keySet())
                .filteredOn(name -> !OTHERS.contains(name))
                .isNotEmpty()
                .allMatch(SettingsTest::isKnownVariable);
    }

    @Test
    void budgetIsThatOfTheDeployment() {
        assertThat(at(manifests.get(1), "spec", "selector")).isEqualTo(at(manifests.get(0), "spec", "selector"));
        assertThat(at(manifests.get(0), "spec", "template", "metadata", "labels"))
                .isEqualTo(at(manifests.get(1), "spec", "selector", "matchLabels"));
    }

    /** The JVM's own choice for a small pod is a quarter of its memory, and the collector with the longest pauses. */
    @Test
    void heapAndCollectorAreChosen() {
        assertThat((String) variables().get("JAVA_TOOL_OPTIONS")).contains("-XX:MaxRAMPercentage=", "-XX:+UseG1GC");
        assertThat((String) at(container, "resources", "limits").get("memory")).matches("[1-9]\\d*Gi");
        assertThat(at(container, "resources", "limits")).doesNotContainKey("cpu");
    }

    @Test
    @SuppressWarnings("unchecked") // The format of a manifest is that of Kubernetes.
    void instancesAreSpreadAndStopOneByOne() {
        Map<String, Object> deployment = at(manifests.get(0), "spec");

        assertThat((List<Map<String, Object>>) pod.get("topologySpreadConstraints"))
                .extracting(each -> each.get("labelSelector"))
                .containsExactly(deployment.get("selector"));
        assertThat(at(deployment, "strategy", "rollingUpdate")).containsEntry("maxUnavailable", 0);
        assertThat(at(manifests.get(1), "spec")).containsEntry("maxUnavailable", 1);
    }

    @Test
    @SuppressWarnings("unchecked") // The format of a manifest is that of Kubernetes.
    void endpointsHaveAPortOfTheirOwnAndThePodFewRights() {
        assertThat((List<Map<String, Object>>) container.get("ports"))
                .filteredOn(port -> port.get("name").equals("management"))
                .extracting(port -> String.valueOf(port.get("containerPort")))
                .containsExactly((String) variables().get("MANAGEMENT_SERVER_PORT"));
        assertThat(at(pod, "securityContext")).containsEntry("runAsNonRoot", true);
        assertThat(at(container, "securityContext")).containsEntry("allowPrivilegeEscalation", false);
    }

    /** The whole health contains Redis. */
    @Test
    void noProbeAsksForTheWholeHealth() {
        assertThat(List.of("startupProbe", "livenessProbe", "readinessProbe"))
                .extracting(probe -> at(container, probe, "httpGet").get("path"))
                .allMatch(path -> String.valueOf(path).matches("/actuator/health/(liveness|readiness)"));
    }
}
