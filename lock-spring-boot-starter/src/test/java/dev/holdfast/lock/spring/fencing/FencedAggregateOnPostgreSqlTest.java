package dev.holdfast.lock.spring.fencing;

import dev.holdfast.lock.spring.fixture.PostgreSql;

/** The same on PostgreSQL. */
class FencedAggregateOnPostgreSqlTest extends FencedAggregateTest {

    @Override
    Class<?> database() {
        return PostgreSql.class;
    }
}
