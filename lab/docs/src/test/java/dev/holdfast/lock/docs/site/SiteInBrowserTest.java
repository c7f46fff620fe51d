package dev.holdfast.lock.docs.site;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.lock.testing.OneAtATime;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.Keys;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;

/** The site as a reader has it: with a keyboard, on a phone, in the dark. Needs the system's Chromium with its driver. */
@OneAtATime
class SiteInBrowserTest {

    private static final Path DRIVER = Path.of("/usr/bin/chromedriver");

    private static @Nullable ChromeDriver browser;
    private static Path folder = Path.of("");

    @BeforeAll
    static void open() throws IOException {
        Optional<Path> binary = Stream.of("/usr/bin/chromium", "/usr/bin/google-chrome")
                .map(Path::of)
                .filter(Files::isExecutable)
                .findFirst();
        assumeTrue(
                binary.isPresent() && Files.isExecutable(DRIVER),
                "No Chromium with its driver in /usr/bin: the site was not tried");
        Path root = Path.of("target/site-in-browser");
        Files.createDirectories(root);
        folder = Site.write(root).toAbsolutePath();
        ChromeOptions options = new ChromeOptions();
        options.setBinary(binary.get().toFile());
        options.addArguments("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1400,1000");
        browser = new ChromeDriver(
                new ChromeDriverService.Builder()
                        .usingDriverExecutable(DRIVER.toFile())
                        .build(),
                options);
    }

    @AfterAll
    static void close() {
        if (browser != null) {
            browser.quit();
        }
    }

    private static void visit(String file) {
        browser.get(folder.resolve(file).toUri().toString());
    }

    private static Object run(String script) {
        return browser.executeScript(script);
    }

    private static void type(CharSequence... keys) {
        browser.switchTo().activeElement().sendKeys(keys);
    }

    @Test
    void keyboardFindsThePageForALostLock() {
        visit("index.html");

        browser.findElement(org.openqa.selenium.By.tagName("body")).sendKeys("/");
        type("lock lost paged");
        type(Keys.ARROW_DOWN);
        type(Keys.ENTER);

        assertThat(browser.getCurrentUrl()).endsWith("docs/on-call.html#a-lock-was-lost");
        assertThat(browser.getTitle()).startsWith("On call");
    }

    /** A page for contributors may have the words more often. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "virtual threads | docs/questions.html#virtual-threads",
                "not held by thread | docs/messages.html#exceptions",
                "Lock 'order:1' is not held by thread 'main' | docs/messages.html#exceptions",
                "fixedDelay | docs/questions.html#fixeddelay-over-all-instances",
                "Redis cluster | docs/redis.html#services",
                "graceful shutdown | docs/questions.html#graceful-shutdown",
                "leader | docs/leader.html",
                "Redis forbids EVAL | docs/questions.html#a-managed-redis-or-one-that-forbids-eval",
                "longer than the lease | docs/questions.html#work-that-takes-longer-than-the-lease-time-to-live",
                "read lock write lock | docs/lock-client.html#kinds-of-locks",
                "key prefix | docs/",
                "reset locks between tests | docs/testing.html#free-locks-between-tests"
            })
    void searchLeadsToThePageForUsers(String words, String target) {
        visit("index.html");

        browser.findElement(org.openqa.selenium.By.tagName("body")).sendKeys("/");
        type(words);

        assertThat(String.valueOf(run("return document.querySelector('#results a').getAttribute('href')")))
                .startsWith(target);
    }

    @Test
    void firstTabSkipsTheNavigation() {
        visit("docs/annotation.html");

        type(Keys.TAB);
        type(Keys.ENTER);

        assertThat(run("return document.activeElement.id")).isEqualTo("content");
    }

    @ParameterizedTest
    @ValueSource(strings = {"index.html", "docs/annotation.html", "docs/configuration.html", "docs/lab/faults.html"})
    void pageFitsOnAPhone(String file) {
        browser.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", 360, "height", 700, "deviceScaleFactor", 1, "mobile", true));
        try {
            visit(file);

            assertThat(run("return document.documentElement.scrollWidth - document.documentElement.clientWidth"))
                    .as("pixels that are cut off")
                    .isEqualTo(0L);
            assertThat(run("return document.querySelector('h1').getBoundingClientRect().top < innerHeight"))
                    .as("whether the content is on the first screen")
                    .isEqualTo(true);
        } finally {
            browser.executeCdpCommand("Emulation.clearDeviceMetricsOverride", Map.of());
        }
    }

    /** Contrast, names of controls, order of headings and the like. */
    @ParameterizedTest
    @ValueSource(strings = {"light", "dark"})
    @SuppressWarnings("unchecked")
    void everybodyCanReadIt(String scheme) throws IOException {
        browser.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
        for (String file : List.of("index.html", "docs/on-call.html", "docs/configuration.html")) {
            visit(file);
            try (InputStream axe = SiteInBrowserTest.class.getResourceAsStream("/axe.min.js")) {
                run(new String(axe.readAllBytes(), StandardCharsets.UTF_8));
            }
            assertThat(
                            (List<String>)
                                    browser.executeAsyncScript(
                                            "const done = arguments[arguments.length - 1];"
                                                    + "axe.run().then(found => done(found.violations.map(each => each.id + ': ' + each.help + ' '"
                                                    + " + each.nodes.slice(0, 3).map(node => node.html).join(' '))), wrong => done([String(wrong)]))"))
                    .as(file + ", " + scheme)
                    .isEmpty();
        }
    }
}
