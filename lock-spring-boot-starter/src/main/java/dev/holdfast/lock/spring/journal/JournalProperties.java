package dev.holdfast.lock.spring.journal;

import dev.holdfast.lock.spring.declaration.FeatureSettings;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * The properties of the journal.
 *
 * @param journalSize Number of lock events that this instance keeps. If it is not set, it keeps none.
 */
@ConfigurationProperties("holdfast")
record JournalProperties(@Nullable Integer journalSize) implements FeatureSettings.Properties {

    /** At 49 bytes for an event, the journal has at most 49 MB besides the names. */
    static final int MOST = 1_000_000;

    JournalProperties {
        if (journalSize != null && (journalSize < 1 || journalSize > MOST)) {
            throw new InvalidConfigurationPropertyValueException(
                    "holdfast.journal-size",
                    journalSize,
                    "it must be between 1 and " + MOST + ". Leave it out to keep no events");
        }
    }
}
