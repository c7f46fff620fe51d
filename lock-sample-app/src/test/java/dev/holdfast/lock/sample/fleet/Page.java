package dev.holdfast.lock.sample.fleet;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.openqa.selenium.By;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** The page in a real browser without a window: the system's Chromium, where there is one. */
final class Page implements AutoCloseable {

    private static final List<String> BROWSERS = List.of("/usr/bin/chromium", "/usr/bin/google-chrome");

    private static final String DRIVER = "/usr/bin/chromedriver";

    private final ChromeDriver browser;

    private Page(ChromeDriver browser) {
        this.browser = browser;
    }

    static Optional<Page> open(String url) {
        Optional<String> binary =
                BROWSERS.stream().filter(each -> new File(each).canExecute()).findFirst();
        if (binary.isEmpty() || !new File(DRIVER).canExecute()) {
            return Optional.empty();
        }
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        logs.enable(LogType.PERFORMANCE, Level.ALL);
        ChromeOptions options = new ChromeOptions();
        options.setBinary(binary.get());
        options.addArguments(
                "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1100,1400");
        options.setCapability("goog:loggingPrefs", logs);
        ChromeDriverService service = new ChromeDriverService.Builder()
                .usingDriverExecutable(new File(DRIVER))
                .build();
        ChromeDriver browser = new ChromeDriver(service, options);
        browser.manage().timeouts().scriptTimeout(Duration.ofSeconds(60));
        browser.get(url);
        return Optional.of(new Page(browser));
    }

    String text(String selector) {
        return browser.findElement(By.cssSelector(selector)).getText();
    }

    /** Waits until a part of the page shows a text. */
    boolean shows(String selector, String text, Duration atMost) throws InterruptedException {
        long end = System.nanoTime() + atMost.toNanos();
        while (true) {
            try {
                if (browser.findElements(By.cssSelector(selector)).stream()
                        .map(WebElement::getText)
                        .anyMatch(each -> each.contains(text))) {
                    return true;
                }
            } catch (StaleElementReferenceException redrawn) {
                // The page draws anew twice a second.
            }
            if (System.nanoTime() > end) {
                return false;
            }
            Thread.sleep(100); // The page calls nobody back.
        }
    }

    int count(String selector) {
        return browser.findElements(By.cssSelector(selector)).size();
    }

    void press(String instance, String act) {
        browser.findElement(By.cssSelector("[data-instance=" + instance + "] [data-act=" + act + "]"))
                .click();
    }

    void dark(boolean dark) {
        Map<String, Object> scheme = Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light");
        browser.executeCdpCommand("Emulation.setEmulatedMedia", Map.of("features", List.of(scheme)));
    }

    void width(int pixels) {
        browser.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", pixels, "height", 1400, "deviceScaleFactor", 1, "mobile", pixels < 600));
    }

    boolean scrollsSideways() {
        return (boolean) browser.executeScript(
                "return document.documentElement.scrollWidth > document.documentElement.clientWidth");
    }

    /** What axe finds wrong, one line each. */
    @SuppressWarnings("unchecked")
    List<String> accessibilityProblems() throws IOException {
        try (InputStream axe = Page.class.getResourceAsStream("/axe.min.js")) {
            browser.executeScript(new String(axe.readAllBytes(), StandardCharsets.UTF_8));
        }
        return (List<String>) browser.executeAsyncScript("const done = arguments[arguments.length - 1];"
                + "axe.run().then(found => done(found.violations.map(each => each.id + ': ' + each.help + ' '"
                + " + each.nodes.map(node => node.html).join(' '))), wrong => done([String(wrong)]))");
    }

    /** Complaints in the console since the last call. */
    List<String> complaints() {
        return browser.manage().logs().get(LogType.BROWSER).getAll().stream()
                .filter(each -> each.getLevel().intValue() >= Level.WARNING.intValue())
                .map(LogEntry::getMessage)
                .toList();
    }

    /** All addresses that were asked for. */
    Stream<String> requests() {
        return browser.manage().logs().get(LogType.PERFORMANCE).getAll().stream()
                .map(LogEntry::getMessage)
                .filter(each -> each.contains("\"Network.requestWillBeSent\""))
                .map(each -> each.replaceAll("(?s).*\"request\":\\{.*?\"url\":\"([^\"]+)\".*", "$1"));
    }

    void picture(Path file) throws IOException {
        Files.write(file, browser.getScreenshotAs(OutputType.BYTES));
    }

    /** A part of the page, also where it would have to be scrolled to. */
    void picture(String selector, Path file) throws IOException {
        Object clip = browser.executeScript(
                "const at = document.querySelector(arguments[0]).getBoundingClientRect();"
                        + "return {x: at.x + scrollX, y: at.y + scrollY, width: at.width, height: at.height, scale: 1}",
                selector);
        Map<String, Object> shot = browser.executeCdpCommand(
                "Page.captureScreenshot", Map.of("captureBeyondViewport", true, "clip", clip));
        Files.write(file, Base64.getDecoder().decode((String) shot.get("data")));
    }

    @Override
    public void close() {
        browser.quit();
    }
}
