package dev.holdfast.lock.test.memory;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The commands that the lock scripts use. An answer is a value as Redis sends it: a Long, a String, null, or a list of such values. Options of a
 * command that the scripts do not use are not supported, and are refused.
 */
final class Commands {

    private interface Command {
        @Nullable
        Object run(List<String> args);
    }

    private final Map<String, Command> commands = new HashMap<>();
    private final Keyspace keys;
    private final LongSupplier micros;
    private final Messages channels;

    Commands(Keyspace keys, LongSupplier micros, Messages channels) {
        this.keys = keys;
        this.micros = micros;
        this.channels = channels;
        addKeys();
        addHashes();
        addLists();
        addSortedSets();
        addMessages();
    }

    @Nullable
    Object run(String command, List<String> args) {
        Command found = commands.get(command);
        if (found == null) {
            throw new CommandException("ERR the Redis in memory does not know '" + command + "'");
        }
        return found.run(args);
    }

    private void addKeys() {
        commands.put("pttl", args -> keys.millisLeft(args.get(0)));
        commands.put("pexpire", args -> number(keys.expire(args.get(0), whole(args.get(1)))));
        commands.put("exists", args -> args.stream().filter(keys::exists).count());
        commands.put("del", args -> args.stream().filter(keys::remove).count());
        commands.put("get", args -> keys.find(args.get(0), String.class));
        commands.put("getset", args -> {
            Object before = keys.find(args.get(0), String.class);
            keys.put(args.get(0), args.get(1));
            return before;
        });
        commands.put("set", this::set);
        commands.put("scan", this::scan);
        commands.put("time", args -> {
            long now = micros.getAsLong();
            return List.of(Long.toString(now / 1_000_000), Long.toString(now % 1_000_000));
        });
    }

    private Object set(List<String> args) {
        String key = args.get(0);
        String option = args.size() > 2 ? args.get(2).toLowerCase(Locale.ROOT) : "";
        long left = option.equals("keepttl") ? keys.millisLeft(key) : option.equals("px") ? whole(args.get(3)) : -1;
        keys.put(key, args.get(1));
        if (left >= 0) {
            keys.expire(key, left);
        }
        return "OK";
    }

    /** Returns all hashes whose keys match a pattern, as a single page. */
    private Object scan(List<String> args) {
        if (!args.subList(0, 2).equals(List.of("0", "MATCH"))
                || !args.subList(5, args.size()).equals(List.of("TYPE", "hash"))) {
            throw new CommandException("ERR the Redis in memory only scans for hashes that match a pattern");
        }
        Pattern pattern = KeyPatterns.compile(args.get(2));
        List<String> found = keys.keys().stream()
                .filter(key -> keys.isA(key, LinkedHashMap.class)
                        && pattern.matcher(key).matches())
                .toList();
        return List.of("0", found);
    }

    @SuppressWarnings("unchecked")
    private @Nullable Map<String, String> hash(String key) {
        return (Map<String, String>) keys.find(key, LinkedHashMap.class);
    }

    private Map<String, String> hashOrEmpty(String key) {
        Map<String, String> hash = hash(key);
        return hash == null ? Map.of() : hash;
    }

    private void addHashes() {
        commands.put("hset", args -> {
            @SuppressWarnings("unchecked")
            Map<String, String> hash = keys.findOrCreate(args.get(0), LinkedHashMap.class, LinkedHashMap::new);
            long added = 0;
            for (int i = 1; i < args.size(); i += 2) {
                added += hash.put(args.get(i), args.get(i + 1)) == null ? 1 : 0;
            }
            return added;
        });
        commands.put("hmget", this::fields);
        commands.put("hexists", args -> number(hashOrEmpty(args.get(0)).containsKey(args.get(1))));
        commands.put("hgetall", args -> flat(hashOrEmpty(args.get(0))));
        commands.put("hlen", args -> (long) hashOrEmpty(args.get(0)).size());
        commands.put("hdel", args -> {
            Map<String, String> hash = hash(args.get(0));
            long removed = 0;
            for (String field : args.subList(1, args.size())) {
                removed += hash != null && hash.remove(field) != null ? 1 : 0;
            }
            if (hash != null && hash.isEmpty()) {
                keys.remove(args.get(0));
            }
            return removed;
        });
        // The answer is a single page, as Redis returns a small hash.
        commands.put("hscan", args -> List.<Object>of("0", flat(hashOrEmpty(args.get(0)))));
    }

    private List<@Nullable String> fields(List<String> args) {
        Map<String, String> hash = hashOrEmpty(args.get(0));
        List<@Nullable String> values = new ArrayList<>();
        args.subList(1, args.size()).forEach(field -> values.add(hash.get(field)));
        return values;
    }

    private static List<String> flat(Map<String, String> hash) {
        List<String> flat = new ArrayList<>(2 * hash.size());
        hash.forEach((field, value) -> {
            flat.add(field);
            flat.add(value);
        });
        return flat;
    }

    @SuppressWarnings("unchecked")
    private List<String> list(String key) {
        List<String> found = (List<String>) keys.find(key, ArrayList.class);
        return found == null ? new ArrayList<>() : found;
    }

    @SuppressWarnings("unchecked")
    private void addLists() {
        commands.put("rpush", args -> {
            List<String> list = keys.findOrCreate(args.get(0), ArrayList.class, ArrayList::new);
            list.addAll(args.subList(1, args.size()));
            return (long) list.size();
        });
        commands.put("lrange", args -> {
            List<String> list = list(args.get(0));
            int from = index(args.get(1), list.size());
            int to = Math.min(index(args.get(2), list.size()), list.size() - 1);
            return from > to ? List.of() : List.copyOf(list.subList(Math.max(0, from), to + 1));
        });
        commands.put("llen", args -> (long) list(args.get(0)).size());
        commands.put("lrem", args -> {
            if (!args.get(1).equals("1")) {
                throw new CommandException("ERR the Redis in memory removes the first of a list only");
            }
            List<String> list = list(args.get(0));
            boolean removed = list.remove(args.get(2));
            if (removed && list.isEmpty()) {
                keys.remove(args.get(0));
            }
            return number(removed);
        });
    }

    private static int index(String text, int size) {
        int index = Integer.parseInt(text);
        return index < 0 ? size + index : index;
    }

    @SuppressWarnings("unchecked")
    private Map<String, Double> scores(String key) {
        Map<String, Double> found = (Map<String, Double>) keys.find(key, SortedSet.class);
        return found == null ? new SortedSet() : found;
    }

    /** Members and their scores. It has its own type, so that no other command mistakes it for a hash. */
    private static final class SortedSet extends HashMap<String, Double> implements Keyspace.Copied<SortedSet> {
        private static final long serialVersionUID = 1L;

        @Override
        public SortedSet copy() {
            SortedSet copy = new SortedSet();
            copy.putAll(this);
            return copy;
        }
    }

    private void addSortedSets() {
        commands.put("zadd", args -> {
            Map<String, Double> set = keys.findOrCreate(args.get(0), SortedSet.class, SortedSet::new);
            return number(set.put(args.get(2), Double.parseDouble(args.get(1))) == null);
        });
        commands.put("zscore", args -> {
            Double score = scores(args.get(0)).get(args.get(1));
            return score == null ? null : plain(score);
        });
        commands.put("zrem", args -> {
            Map<String, Double> set = scores(args.get(0));
            boolean removed = set.remove(args.get(1)) != null;
            if (removed && set.isEmpty()) {
                keys.remove(args.get(0));
            }
            return number(removed);
        });
        commands.put("zrange", this::range);
    }

    /** Returns a range of members: {@code byscore}, with or without a limit, or by rank, with scores. */
    private List<String> range(List<String> args) {
        List<Map.Entry<String, Double>> sorted =
                new ArrayList<>(scores(args.get(0)).entrySet());
        sorted.sort((a, b) -> a.getValue().equals(b.getValue())
                ? a.getKey().compareTo(b.getKey())
                : Double.compare(a.getValue(), b.getValue()));
        if (args.contains("byscore")) {
            double most = Double.parseDouble(args.get(2));
            int limit = args.contains("limit") ? Integer.parseInt(args.get(args.size() - 1)) : Integer.MAX_VALUE;
            return sorted.stream()
                    .filter(entry -> entry.getValue() <= most)
                    .limit(limit)
                    .map(Map.Entry::getKey)
                    .toList();
        }
        int from = Math.max(0, index(args.get(1), sorted.size()));
        int to = Math.min(index(args.get(2), sorted.size()), sorted.size() - 1);
        List<String> range = new ArrayList<>();
        for (int i = from; i <= to; i++) {
            range.add(sorted.get(i).getKey());
            if (args.contains("withscores")) {
                range.add(plain(sorted.get(i).getValue()));
            }
        }
        return range;
    }

    private static String plain(double number) {
        return number == Math.rint(number) ? Long.toString((long) number) : new BigDecimal(number).toPlainString();
    }

    private void addMessages() {
        commands.put("publish", args -> channels.publish(args.get(0), args.get(1)));
        commands.put("pubsub", args -> {
            if (!args.get(0).equals("numsub")) {
                throw new CommandException("ERR Unknown subcommand '" + args.get(0) + "'");
            }
            List<Object> counts = new ArrayList<>();
            for (String channel : args.subList(1, args.size())) {
                counts.add(channel);
                counts.add(channels.listeners(channel));
            }
            return counts;
        });
    }

    private static long number(boolean yes) {
        return yes ? 1L : 0L;
    }

    private static long whole(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new CommandException("ERR value is not an integer or out of range");
        }
    }
}
