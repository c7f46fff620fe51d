package dev.holdfast.lock.sample.live;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * The fencing tokens of all instances, in the database. The page numbers those of each lock, 1, 2, 3, so that a person can compare them, and every
 * viewer must count from the first one.
 */
@Repository
class Grants {

    /** More than the page shows of one lock. */
    private static final int LATEST = 500;

    private final JdbcClient database;

    Grants(JdbcClient database) {
        this.database = database;
    }

    void add(String lock, long token) {
        database.sql("insert into lock_grant (lock_name, token) values (?, ?) on conflict do nothing")
                .params(lock, token)
                .update();
    }

    /** Returns the latest tokens of a lock, in their order, and how many there were before. */
    Tokens of(String lock) {
        List<Long> latest = new ArrayList<>(
                database.sql("select token from lock_grant where lock_name = ? order by token desc limit " + LATEST)
                        .param(lock)
                        .query(Long.class)
                        .list());
        Collections.reverse(latest);
        long before = latest.isEmpty()
                ? 0
                : database.sql("select count(*) from lock_grant where lock_name = ? and token < ?")
                        .params(lock, latest.get(0))
                        .query(Long.class)
                        .single();
        return new Tokens(lock, before, latest.stream().map(String::valueOf).toList());
    }

    /**
     * Tokens of one lock.
     *
     * @param lock its name
     * @param before the number of lower tokens
     * @param tokens the tokens in their order, as text, because JavaScript's numbers are not exact beyond 2^53
     */
    record Tokens(String lock, long before, List<String> tokens) {}
}
