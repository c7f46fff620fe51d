package dev.holdfast.lock.spring.fencing;

import dev.holdfast.lock.spring.declaration.FeatureSettings;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties of the fence table.
 *
 * @param fenceTable Name of the table that fences the transactions of locked methods. If it is not set, none is fenced.
 * @param fenceDataSources Bean names of the data sources whose transactions are fenced. By default, the only or primary one.
 */
@ConfigurationProperties("holdfast")
record FenceTableProperties(
        @Nullable String fenceTable, @DefaultValue Set<String> fenceDataSources)
        implements FeatureSettings.Properties {}
