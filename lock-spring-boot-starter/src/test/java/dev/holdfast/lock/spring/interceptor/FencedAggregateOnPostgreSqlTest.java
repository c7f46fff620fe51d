package dev.holdfast.lock.spring.interceptor;

/** The same on PostgreSQL. */
class FencedAggregateOnPostgreSqlTest extends FencedAggregateTest {

    @Override
    Class<?> database() {
        return PostgreSql.class;
    }
}
