package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.spring.OnBusy;
import dev.holdfast.lock.spring.OnLost;
import dev.holdfast.lock.spring.OnUnavailable;
import dev.holdfast.lock.spring.interceptor.InterceptionOptions.UnproxiedBeans;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What the configuration says of locks. What is left out here is left to the annotation, and where that says nothing either, to the client.
 *
 * @param enabled Whether annotated methods are locked. False runs them without their locks. The lock client bean stays.
 * @param keyPrefix Text before every lock's name in Redis. May hold placeholders.
 * @param watchdogTimeout How long a renewed lock outlives a holder that dies without a word. Renewed at a third of it.
 * @param waitTime How long a call waits for a busy lock.
 * @param leaseTime Length of the lease. Without one the lock is renewed for as long as it is held.
 * @param minHold How long a lock stays taken at least, also when its holder is done earlier.
 * @param maxHold How long a lock is held at the most, however well its holder fares.
 * @param pollInterval How long a waiting client sleeps at the most before it asks Redis again. What a lost message costs.
 * @param onBusy What becomes of a call that did not get the lock.
 * @param onUnavailable What becomes of a call when Redis could not be asked.
 * @param onLost What becomes of a call whose lease is lost while its body runs.
 * @param minReplicas How many replicas must confirm an acquisition before it counts.
 * @param failFast Whether the application refuses to start while Redis cannot be reached.
 * @param clientName What this instance calls itself in Redis, for whoever is refused a lock that it holds. May hold placeholders.
 * @param longHoldThreshold Reports a lock that is held for longer than this. Nothing is reported without it.
 * @param recordAcquisitionSites Whether each acquisition remembers its stack, for reports on long holds and dead threads.
 * @param shutdownGrace How long running bodies keep their locks when the application stops.
 * @param mdcKey Under which key a body's log lines carry the name of its lock. Without one they do not.
 * @param order Position of the lock among a method's advisors. Lower is further out.
 * @param beanReferences Whether a key's expression may refer to beans.
 * @param unproxiedBeans What to do at startup with a bean whose annotated methods have no proxy and so run without their locks.
 * @param ignoreUnknownNames Whether settings of locks that no annotation declares are passed over instead of ending the start.
 * @param locks Settings of single locks, by the name that their annotation declares. They win over the annotation.
 */
@ConfigurationProperties(LockProperties.PREFIX)
public record LockProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("") String keyPrefix,
        @DefaultValue("30s") Duration watchdogTimeout,
        @Nullable Duration waitTime,
        @Nullable Duration leaseTime,
        @Nullable Duration minHold,
        @Nullable Duration maxHold,
        @DefaultValue("1s") Duration pollInterval,
        @Nullable OnBusy onBusy,
        @Nullable OnUnavailable onUnavailable,
        @Nullable OnLost onLost,
        @DefaultValue("0") int minReplicas,
        @DefaultValue("false") boolean failFast,
        @Nullable String clientName,
        @Nullable Duration longHoldThreshold,
        @DefaultValue("false") boolean recordAcquisitionSites,
        @DefaultValue("20s") Duration shutdownGrace,
        @Nullable String mdcKey,
        @DefaultValue("2147483547") int order,
        @DefaultValue("false") boolean beanReferences,
        @DefaultValue("fail") UnproxiedBeans unproxiedBeans,
        @DefaultValue("false") boolean ignoreUnknownNames,
        @DefaultValue Map<String, Lock> locks) {

    /** What all keys begin with. */
    public static final String PREFIX = "holdfast";

    /**
     * Settings of one lock.
     *
     * @param enabled Whether the lock is taken. False runs its methods without it.
     * @param waitTime How long a call waits for it.
     * @param leaseTime Length of its lease. Without one it is renewed for as long as it is held.
     * @param minHold How long it stays taken at least, also when its holder is done earlier.
     * @param maxHold How long it is held at the most, however well its holder fares.
     * @param onBusy What becomes of a call that did not get it.
     * @param onUnavailable What becomes of a call when Redis could not be asked.
     * @param onLost What becomes of a call whose lease is lost while its body runs.
     */
    public record Lock(
            @Nullable Boolean enabled,
            @Nullable Duration waitTime,
            @Nullable Duration leaseTime,
            @Nullable Duration minHold,
            @Nullable Duration maxHold,
            @Nullable OnBusy onBusy,
            @Nullable OnUnavailable onUnavailable,
            @Nullable OnLost onLost) {}
}
