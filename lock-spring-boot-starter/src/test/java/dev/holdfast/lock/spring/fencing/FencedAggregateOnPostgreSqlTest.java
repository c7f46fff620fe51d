package dev.holdfast.lock.spring.fencing;

import dev.holdfast.lock.spring.fixture.PostgreSql;
import dev.holdfast.lock.testing.OneAtATime;

/** The same on PostgreSQL. */
@OneAtATime
class FencedAggregateOnPostgreSqlTest extends FencedAggregateTest {

    @Override
    Class<?> database() {
        return PostgreSql.class;
    }
}
