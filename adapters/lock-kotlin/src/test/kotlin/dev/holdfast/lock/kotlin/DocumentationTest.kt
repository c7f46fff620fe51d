package dev.holdfast.lock.kotlin

import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import java.nio.file.Files
import java.nio.file.Path

class DocumentationTest {

    /** Those of the page are compiled as a part of these tests. */
    @Test
    fun everyExampleIsCompiled() {
        val examples = Files.readString(Path.of("src/test/kotlin/dev/holdfast/lock/kotlin/Examples.kt"))
        val shown = Regex("(?ms)^```kotlin\\n(.*?)^```").findAll(Files.readString(Path.of("../../docs/reactive-and-kotlin.md")))
            .map { it.groupValues[1] }.toList()
        assertThat(shown).hasSize(2)
        assertThat(shown).allSatisfy { assertThat(examples).contains(it) }
    }
}
