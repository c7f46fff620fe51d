package dev.holdfast.lock.internal.waiting;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The rooms of those who wait alone, by lock and by waiter. */
final class SingleRooms {

    private final ConcurrentHashMap<String, Map<Waiter, WaitingRoom>> locks = new ConcurrentHashMap<>();

    void add(String key, Waiter waiter, WaitingRoom room) {
        locks.compute(key, (name, present) -> {
            Map<Waiter, WaitingRoom> rooms = present == null ? new ConcurrentHashMap<>() : present;
            rooms.put(waiter, room);
            return rooms;
        });
    }

    void remove(String key, Waiter waiter) {
        locks.computeIfPresent(key, (name, rooms) -> {
            rooms.remove(waiter);
            return rooms.isEmpty() ? null : rooms;
        });
    }

    @Nullable
    WaitingRoom of(String key, Waiter waiter) {
        Map<Waiter, WaitingRoom> rooms = locks.get(key);
        return rooms == null ? null : rooms.get(waiter);
    }

    int count(String key) {
        Map<Waiter, WaitingRoom> rooms = locks.get(key);
        return rooms == null ? 0 : rooms.size();
    }

    int count() {
        return locks.values().stream().mapToInt(Map::size).sum();
    }

    void forEach(Consumer<WaitingRoom> action) {
        locks.values().forEach(rooms -> rooms.values().forEach(action));
    }
}
