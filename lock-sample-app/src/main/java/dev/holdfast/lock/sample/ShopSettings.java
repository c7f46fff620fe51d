package dev.holdfast.lock.sample;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What the shop is told from outside.
 *
 * @param instance this instance's name
 * @param answerTime how long systems elsewhere take to answer
 * @param fleet all instances, this one included, where the page shall show more than this one; they may read each other's events
 * @param control where the page's buttons go that stop and start processes; none without a launcher
 */
@ConfigurationProperties("shop")
public record ShopSettings(
        @DefaultValue("shop") String instance,
        @DefaultValue("600ms") Duration answerTime,
        @DefaultValue List<Member> fleet,
        @Nullable URI control) {

    /** Keeps its own copy of the list. */
    public ShopSettings {
        fleet = List.copyOf(fleet);
    }

    /**
     * An instance of the fleet.
     *
     * @param name its name
     * @param url where it listens
     */
    public record Member(String name, String url) {}
}
