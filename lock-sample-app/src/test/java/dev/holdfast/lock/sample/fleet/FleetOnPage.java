package dev.holdfast.lock.sample.fleet;

import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;

/** A fleet that is started once for all tests of a class, and its page where the system has a browser. */
abstract class FleetOnPage {

    static final Duration SOON = Await.PATIENCE;

    static LaunchedFleet fleet;
    static @Nullable Page page;
    static long started;

    static void launch(int firstPort) throws Exception {
        // Both take seconds to start, so they start at the same time.
        CompletableFuture<Optional<Page>> browser = CompletableFuture.supplyAsync(Page::open);
        try {
            fleet = LaunchedFleet.start(firstPort);
            started = System.currentTimeMillis();
        } finally {
            page = browser.join().orElse(null);
        }
        if (page != null) {
            page.visit(fleet.page());
        }
    }

    @AfterAll
    static void end() {
        if (page != null) {
            page.close();
        }
        fleet.close();
    }

    static Page browser() {
        return Page.orSkip(page);
    }
}
