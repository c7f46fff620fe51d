package dev.holdfast.lock;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.net.URISyntaxException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What users on the module path see. */
class ModuleTest {

    @Test
    void onlyTheApiTheClientsAndCompositesAreExported() throws URISyntaxException {
        Path classes = Path.of(LockClient.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        ModuleDescriptor module =
                ModuleFinder.of(classes).find("dev.holdfast.lock").orElseThrow().descriptor();
        assertThat(module.exports())
                .allMatch(exported -> !exported.isQualified())
                .extracting(ModuleDescriptor.Exports::source)
                .containsExactlyInAnyOrder(
                        "dev.holdfast.lock", "dev.holdfast.lock.composite", "dev.holdfast.lock.redis");
        assertThat(module.opens()).isEmpty();
    }
}
