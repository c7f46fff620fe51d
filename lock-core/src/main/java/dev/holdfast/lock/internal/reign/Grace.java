package dev.holdfast.lock.internal.reign;

import dev.holdfast.lock.internal.background.Background;
import dev.holdfast.lock.internal.background.Ticker;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The time for which Redis grants nothing after it may have lost locks, so that their holders can say so first. A master's reign begins when it is
 * promoted, and when it starts. Scripts know the reign and when the grace is over. A client only tells them its grace and its clock, and has its
 * holders speak soon. {@code lib/reign.lua} has the rules.
 *
 * <p>The master before may serve on for half of the watchdog timeout, however long the grace is. Two thirds of the grace are for the longest lease.
 */
public final class Grace {

    /** A client without a grace. */
    public static final Grace OFF = new Grace(0, 0, Background.SYSTEM, Ticker.system());

    private static final long BETWEEN_SPEECHES = TimeUnit.SECONDS.toNanos(5);

    private final long millis;
    /** For how long the master before may serve on. No longer than a renewed lease has left, or it would be lost with each master. */
    private final long servesMillis;

    private final Background background;
    private final Ticker ticker;
    /** The time before which holders need not speak again. */
    private final AtomicLong nextSpeech;

    private volatile @Nullable Runnable speak;

    private Grace(long millis, long servesMillis, Background background, Ticker ticker) {
        this.millis = millis;
        this.servesMillis = servesMillis;
        this.background = background;
        this.ticker = ticker;
        this.nextSpeech = new AtomicLong(ticker.now());
    }

    /** Creates the grace of a client's session; {@link #OFF} if the time is zero. */
    public static Grace of(Duration time, Duration watchdogTimeout, Background background, Ticker ticker) {
        return time.isZero() ? OFF : new Grace(time.toMillis(), watchdogTimeout.toMillis() / 2, background, ticker);
    }

    /** Returns the shortest grace for leases of a length. */
    public static Duration shortest(Duration lease) {
        return lease.plus(lease.dividedBy(2));
    }

    public boolean isOn() {
        return millis > 0;
    }

    /** Returns the argument that tells a script the grace. */
    public String argument() {
        return millis + ":" + background.wallClockMillis();
    }

    /** Returns the argument that tells a script the grace, and for how long the master before may serve on. */
    public String assertion() {
        return argument() + ":" + servesMillis;
    }

    /** Returns how many ms are left until a moment, as an argument of at least 0. */
    public String millisUntil(long moment) {
        return Long.toString(Math.max(0, TimeUnit.NANOSECONDS.toMillis(moment - ticker.now())));
    }

    /** Returns how often a client must look whether Redis is closed, so that it finds each grace. */
    public long nanosBetweenLooks() {
        return TimeUnit.MILLISECONDS.toNanos(millis) / 3;
    }

    /** Returns the longest lease for which a slot stays closed long enough. */
    public long longestLeaseNanos() {
        return isOn() ? TimeUnit.MILLISECONDS.toNanos(millis) / 3 * 2 : Long.MAX_VALUE;
    }

    /** Returns the failure that refuses a longer lease or minimum hold. */
    public IllegalArgumentException tooLong(String what, long nanos) {
        return new IllegalArgumentException("'" + what + "' must be at most " + Duration.ofNanos(longestLeaseNanos())
                + ", two thirds of the failover grace of " + Duration.ofMillis(millis) + ", was "
                + Duration.ofNanos(nanos) + ": a longer one could outlive the grace. Set a shorter one, or a"
                + " failover grace of at least " + shortest(Duration.ofNanos(nanos))
                + " for all clients of this Redis");
    }

    /** Sets what has all holders speak. */
    public void onClosed(Runnable all) {
        speak = all;
    }

    /** Called when Redis has answered that it grants nothing yet. Holders speak once for many such answers. */
    public void holdersSpeak() {
        Runnable all = speak;
        long now = ticker.now();
        long next = nextSpeech.get();
        if (all != null && now - next >= 0 && nextSpeech.compareAndSet(next, now + BETWEEN_SPEECHES)) {
            all.run();
        }
    }
}
