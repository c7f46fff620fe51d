package dev.holdfast.lock.redis;

import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.internal.protocol.PlainProtocol;
import dev.holdfast.lock.testing.FaultProxy;
import dev.holdfast.lock.testing.FaultProxy.Then;
import dev.holdfast.lock.testing.RespFrame;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/** What lock scripts cross a proxy, and how often each for each owner. */
final class ScriptTraffic {

    static final Predicate<RespFrame> ACQUIRE = of("acquire");
    static final Predicate<RespFrame> RELEASE = of("release");
    static final Predicate<RespFrame> RENEW = of("renew");
    static final Predicate<RespFrame> INSPECT = of("inspect");

    private final Map<String, Integer> acquisitions = new ConcurrentHashMap<>();
    private final Set<String> released = ConcurrentHashMap.newKeySet();
    private final Queue<String> revived = new ConcurrentLinkedQueue<>();
    private final AtomicInteger releases = new AtomicInteger();
    private final FaultProxy proxy;

    ScriptTraffic(FaultProxy proxy) {
        this.proxy = proxy;
        watch();
    }

    /** Begins to watch; to be called again after {@link FaultProxy#heal()}, which ends all rules. */
    void watch() {
        // A rule that looks at every request and takes none.
        proxy.swallowReplyOf(this::note, Then.CLOSE);
    }

    private boolean note(RespFrame frame) {
        if (frame.contains("holdfast:probe:")) {
            // The client's look at Redis when it first reaches it.
            return false;
        }
        if (ACQUIRE.test(frame) && frame.isNamed("EVALSHA")) {
            String owner = owner(frame);
            acquisitions.merge(owner, 1, Integer::sum);
            if (released.contains(owner)) {
                revived.add(owner);
            }
        }
        if (RELEASE.test(frame) && frame.isNamed("EVALSHA")) {
            released.add(owner(frame));
            releases.incrementAndGet();
        }
        return false;
    }

    /** The owners for whom an acquisition was sent after their release: nothing but that may bring a hold that nobody releases. */
    List<String> revived() {
        return List.copyOf(revived);
    }

    /** The first argument behind the keys. */
    private static String owner(RespFrame frame) {
        return frame.words().get(3 + Integer.parseInt(frame.words().get(2)));
    }

    int acquisitions() {
        return acquisitions.values().stream().mapToInt(Integer::intValue).sum();
    }

    int releases() {
        return releases.get();
    }

    static Predicate<RespFrame> of(String name) {
        Script script = Script.load(PlainProtocol.class, name);
        return frame -> frame.words().size() > 1
                && (frame.words().get(1).equals(script.sha())
                        || frame.words().get(1).equals(script.text()));
    }

    static Predicate<RespFrame> acquisitionOf(String key) {
        return ACQUIRE.and(frame -> frame.words().get(3).equals(key));
    }

    static Predicate<RespFrame> fairAcquisitionOf(String key) {
        return of("acquire").and(frame -> frame.words().get(3).equals(key));
    }

    static Predicate<RespFrame> releaseOf(String key) {
        return RELEASE.and(frame -> frame.words().get(3).equals(key));
    }
}
