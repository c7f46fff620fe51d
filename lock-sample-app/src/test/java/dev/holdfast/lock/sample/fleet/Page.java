package dev.holdfast.lock.sample.fleet;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
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

    /** Adds up how far things move that nobody touched. */
    private static final String SHIFTS = """
            window.shifted = 0;
            new PerformanceObserver(list => {
              for (const shift of list.getEntries()) if (!shift.hadRecentInput) window.shifted += shift.value;
            }).observe({ type: 'layout-shift', buffered: true });""";

    private final ChromeDriver browser;

    private Page(ChromeDriver browser) {
        this.browser = browser;
    }

    /** Starts a browser, which shows no page yet. Empty where there is none. */
    static Optional<Page> open() {
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
                "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1400,1000");
        options.setCapability("goog:loggingPrefs", logs);
        ChromeDriverService service = new ChromeDriverService.Builder()
                .usingDriverExecutable(new File(DRIVER))
                .build();
        ChromeDriver browser = new ChromeDriver(service, options);
        browser.manage().timeouts().scriptTimeout(Duration.ofSeconds(60));
        browser.executeCdpCommand("Page.addScriptToEvaluateOnNewDocument", Map.of("source", SHIFTS));
        return Optional.of(new Page(browser));
    }

    void visit(String url) {
        browser.get(url);
    }

    /** The page, or the end of a test that needs one where there is no browser. */
    static Page orSkip(@Nullable Page page) {
        assumeTrue(page != null, "No Chromium with its driver in /usr/bin: the page was not tested");
        return page;
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
                // A list changed in between.
            }
            if (System.nanoTime() > end) {
                return false;
            }
            Thread.sleep(100); // The page calls nobody back.
        }
    }

    /** Sets {@code window.watched} once a part of the page shows a text, perhaps for a moment only. */
    void watchFor(String selector, String text) {
        run("""
                window.watched = false;
                new MutationObserver(() => {
                  window.watched ||= document.querySelector(arguments[0]).textContent.includes(arguments[1]);
                }).observe(document.body, { subtree: true, childList: true, characterData: true });""", selector, text);
    }

    int count(String selector) {
        return browser.findElements(By.cssSelector(selector)).size();
    }

    /** Waits for the button first: the page draws its instances when it has heard of them. */
    void press(String instance, String act) throws InterruptedException {
        String button = "[data-instance=" + instance + "] [data-act=" + act + "]";
        awaits("return document.querySelector('" + button + "') !== null", Duration.ofSeconds(20));
        click(button);
    }

    /** Chrome's cumulative layout shift since the page was loaded. */
    double layoutShift() {
        return ((Number) browser.executeScript("return window.shifted")).doubleValue();
    }

    /** Waits until a script returns true. */
    boolean awaits(String script, Duration atMost) throws InterruptedException {
        long end = System.nanoTime() + atMost.toNanos();
        while (!Boolean.TRUE.equals(run(script))) {
            if (System.nanoTime() - end > 0) {
                return false;
            }
            Thread.sleep(50); // The page calls nobody back.
        }
        return true;
    }

    Object run(String script, Object... arguments) {
        return browser.executeScript(script, arguments);
    }

    /** Runs the body of an asynchronous function and returns what it returns, or its error as text. */
    Object runAsync(String body) {
        return browser.executeAsyncScript("const done = arguments[arguments.length - 1]; (async () => {" + body
                + "})().then(done, error => done(String(error)))");
    }

    void reload() {
        browser.navigate().refresh();
    }

    boolean isEnabled(String selector) {
        return browser.findElement(By.cssSelector(selector)).isEnabled();
    }

    void click(String selector) {
        browser.findElement(By.cssSelector(selector)).click();
    }

    /** Types into whatever has the focus. */
    void type(CharSequence keys) {
        browser.switchTo().activeElement().sendKeys(keys);
    }

    byte[] picture() {
        return browser.getScreenshotAs(OutputType.BYTES);
    }

    /** Takes the mouse and the focus off the page, as after a while without a touch. */
    void letGo() {
        run("document.activeElement?.blur()");
        browser.executeCdpCommand("Input.dispatchMouseEvent", Map.of("type", "mouseMoved", "x", 1, "y", 1));
    }

    void dark(boolean dark) {
        Map<String, Object> scheme = Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light");
        browser.executeCdpCommand("Emulation.setEmulatedMedia", Map.of("features", List.of(scheme)));
    }

    void width(int pixels) {
        size(pixels, 1000);
    }

    /** Makes the window as high as the page. */
    void wholeHeight() {
        List<?> size = (List<?>) run("return [innerWidth, Math.ceil(document.body.getBoundingClientRect().bottom)]");
        size(((Number) size.get(0)).intValue(), ((Number) size.get(1)).intValue());
    }

    private void size(int width, int height) {
        browser.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 600));
    }

    /** Whether the page needs no scrolling sideways once its drawings have followed the window's new width. */
    boolean fits(Duration atMost) throws InterruptedException {
        return awaits("return document.documentElement.scrollWidth <= document.documentElement.clientWidth", atMost);
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

    @Override
    public void close() {
        browser.quit();
    }
}
