package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.internal.protocol.RedisKind;

/**
 * What works for one lock between a start of its client and the next.
 *
 * @param client the start that it belongs to
 */
public record LockEngine(
        OpenClient client,
        GrantDesk desk,
        Entrance entrance,
        Acquisition acquisition,
        AsyncAcquisition asyncAcquisition) {

    public static LockEngine of(String name, String key, RedisKind kind, OpenClient client) {
        ClientParts parts = client.parts();
        GrantDesk desk = new GrantDesk(name, key, kind, parts);
        Entrance entrance = new Entrance(name, desk, parts);
        Refusals refusals = new Refusals(name, desk, entrance, parts);
        return new LockEngine(
                client,
                desk,
                entrance,
                new Acquisition(name, entrance, refusals),
                new AsyncAcquisition(entrance, refusals, parts.closed()));
    }
}
