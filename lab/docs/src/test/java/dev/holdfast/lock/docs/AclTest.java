package dev.holdfast.lock.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.docs.Page.Block;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command of the page about rights makes a user for another key prefix. */
class AclTest {

    @TempDir
    Path folder;

    @Test
    void commandOfThePageChangesThePrefixAndThePasswordAndNothingElse() throws Exception {
        List<String> given = rules(Page.of("docs/acl.conf").text());
        List<String> made = rules(made());

        assertThat(made)
                .contains("~shop:*", "~{shop:*", "~redisson_lock_queue:{shop:*", "~holdfast:record:shop:*")
                .contains("&redisson_rwlock:{shop:*", "&redisson_rwlock:shop:*", "~holdfast:token*", ">secret")
                .noneMatch(rule -> rule.matches("([~&]|.*[:{])lock:.*"));
        assertThat(made)
                .extracting(rule -> rule.replace("shop:", "lock:").replace(">secret", ">change-me"))
                .isEqualTo(given);
    }

    private String made() throws Exception {
        String command = Page.of("docs/redis.md").blocks().stream()
                .filter(block -> block.mark().equals("sh"))
                .map(Block::text)
                .findFirst()
                .orElseThrow();
        Files.copy(Page.ROOT.resolve("docs/acl.conf"), folder.resolve("acl.conf"));
        Process shell = new ProcessBuilder("sh", "-c", command)
                .directory(folder.toFile())
                .inheritIO()
                .start();
        assertThat(shell.waitFor()).isZero();
        return Files.readString(folder.resolve("shop.conf"));
    }

    private static List<String> rules(String file) {
        return file.lines()
                .filter(line -> line.startsWith("user "))
                .flatMap(line -> Arrays.stream(line.split(" ")))
                .toList();
    }
}
