package dev.holdfast.lock.spring.fencing;

/** The same on PostgreSQL. */
class FencedAggregateOnPostgreSqlTest extends FencedAggregateTest {

    @Override
    Class<?> database() {
        return PostgreSql.class;
    }
}
