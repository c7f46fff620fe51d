package dev.holdfast.lock.sample.fleet;

import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.imageio.ImageIO;

/** The pictures of the documentation. Written where {@code -Dfleet.pictures} says, which is {@code target} unless they are to be made anew. */
final class Film {

    private static final Path FOLDER = Path.of(System.getProperty("fleet.pictures", "target"));
    private static final int WIDTH = 1000;
    private static final long LENGTH_MILLIS = 8_000;
    private static final long PAUSE_MILLIS = 250;

    /** How long the film goes on after its end has come. */
    private static final long AFTERWARDS_MILLIS = 2_000;

    /** Leaves the parts of the page that the story is about, and the last third of the minute. */
    private static final String CUT = """
            document.getElementById('line-title').textContent = 'Who held stock:lamps in the last 20 seconds';
            const cut = new CSSStyleSheet(); // The page's policy forbids a style element.
            cut.replaceSync(`
              .row-lock:not([data-lock="stock:lamps"]) { height: 0; padding: 0; border: 0; overflow: hidden }
              .axis, #detail, .legend, footer, .cards .row, .redis,
              #story li:not(:has([data-step=freeze])) { display: none }
              #rows, #story { min-height: 0; overflow: hidden }
              .lane { width: 300%; margin-left: -200% }
              .cards, .cards li { min-height: 0; height: 3.9rem }
              #story li { height: 11rem } #news { height: 6.5rem; overflow: hidden } .side #writes { height: 4.8rem }
            `);
            document.adoptedStyleSheets = [cut];
            return document.querySelector('main').getBoundingClientRect().bottom;""";

    private static final String IS_REFUSED =
            "return document.querySelector('#story li:has([data-step=freeze]) .outcome').textContent.length > 1";

    record Frame(BufferedImage picture, long atMillis) {}

    private Film() {}

    /** The whole page, so that no line is cut off. */
    static void picture(Page page, String name) throws IOException {
        page.wholeHeight();
        page.letGo();
        Files.write(FOLDER.resolve(name + ".png"), page.picture());
    }

    /** An animated GIF of an instance that is frozen past its lease, only where pictures are to be made. */
    static void freeze(Page page, String name) throws IOException, InterruptedException {
        if (System.getProperty("fleet.pictures") == null) {
            return;
        }
        page.width(WIDTH);
        page.awaits("return window.model?.acquisitions >= 20", Duration.ofSeconds(60));
        int height = (int) Math.ceil(((Number) page.run(CUT)).doubleValue());
        TimeUnit.SECONDS.sleep(20); // A film shows time.
        page.click("[data-step=freeze]");
        List<Frame> frames = new ArrayList<>();
        long end = Long.MAX_VALUE;
        for (long now = System.currentTimeMillis(); now < end; now = System.currentTimeMillis()) {
            BufferedImage whole = ImageIO.read(new ByteArrayInputStream(page.picture()));
            frames.add(new Frame(whole.getSubimage(0, 0, WIDTH, Math.min(height, whole.getHeight())), now));
            if (end == Long.MAX_VALUE && Boolean.TRUE.equals(page.run(IS_REFUSED))) {
                end = System.currentTimeMillis() + AFTERWARDS_MILLIS;
            }
            TimeUnit.MILLISECONDS.sleep(Math.max(0, now + PAUSE_MILLIS - System.currentTimeMillis()));
        }
        long begin = end - LENGTH_MILLIS;
        List<Frame> shown =
                frames.stream().filter(frame -> frame.atMillis() >= begin).toList();
        AnimatedGif.write(FOLDER.resolve(name + ".gif"), shown, shown.get(0).atMillis() + LENGTH_MILLIS);
        page.width(1400);
        page.reload();
    }

    /** Waits until the film is older than the minute that the page shows, only where pictures are to be made. */
    static void letAMinutePass() throws InterruptedException {
        if (System.getProperty("fleet.pictures") != null) {
            TimeUnit.SECONDS.sleep(60); // A picture shows time.
        }
    }
}
