package dev.holdfast.lock.sample;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The settings of the shop.
 *
 * @param instance this instance's name
 * @param answerTime how long external systems take to answer
 * @param fleet all instances, this one included, if the page is to show more than this one; they may read each other's events
 * @param control the address of the launcher, to which the page's buttons for processes send requests; null if there is none
 */
@ConfigurationProperties("shop")
public record ShopSettings(
        @DefaultValue("shop") String instance,
        @DefaultValue("600ms") Duration answerTime,
        @DefaultValue List<Member> fleet,
        @Nullable URI control) {

    /** Creates the settings with a copy of the list. */
    public ShopSettings {
        fleet = List.copyOf(fleet);
    }

    /**
     * An instance of the fleet.
     *
     * @param name its name
     * @param url its address
     */
    public record Member(String name, String url) {}
}
