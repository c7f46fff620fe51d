package dev.holdfast.lock.spring.fencing;

import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.Ordered;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.data.jdbc.core.mapping.JdbcMappingContext;
import org.springframework.data.relational.core.conversion.MutableAggregateChange;
import org.springframework.data.relational.core.mapping.RelationalPersistentEntity;
import org.springframework.data.relational.core.mapping.RelationalPersistentProperty;
import org.springframework.data.relational.core.mapping.event.BeforeDeleteCallback;
import org.springframework.data.relational.core.mapping.event.BeforeSaveCallback;

/**
 * Makes the versions of fenced aggregates of Spring Data JDBC fencing tokens. Spring Data's statement checks that the stored version is the one that
 * was read. Comes after the application's callbacks, which may replace the aggregate.
 */
public record JdbcFencing(ObjectProvider<JdbcMappingContext> mappings)
        implements BeforeSaveCallback<Object>, BeforeDeleteCallback<Object>, SmartInitializingSingleton, Ordered {

    @Override
    public void afterSingletonsInstantiated() {
        mappings.stream()
                .flatMap(mapping -> mapping.getPersistentEntities().stream())
                .forEach(entity -> FencedType.of(entity.getType()).ifPresent(type -> version(entity, type)));
    }

    private static RelationalPersistentProperty version(RelationalPersistentEntity<?> entity, FencedType type) {
        RelationalPersistentProperty version = entity.getVersionProperty();
        if (version == null || !version.getName().equals(type.version().getName())) {
            throw FencedType.invalid(
                    type.version(),
                    "it is not the version of " + entity.getName() + ", so no update would check it",
                    "Add @Version of org.springframework.data.annotation, and take it from any other field");
        }
        return version;
    }

    @Override
    public Object onBeforeSave(Object aggregate, MutableAggregateChange<Object> change) {
        FencedType type = FencedType.of(aggregate.getClass()).orElse(null);
        if (type == null) {
            return aggregate;
        }
        Number stored = change.getPreviousVersion();
        if (stored != null) {
            return withVersion(aggregate, type, check(aggregate, type, stored));
        }
        OptionalLong token = type.tokenForInsert(aggregate);
        return token.isPresent() ? withVersion(aggregate, type, token.getAsLong()) : aggregate;
    }

    private Object withVersion(Object aggregate, FencedType type, long token) {
        RelationalPersistentEntity<?> entity = mappings.stream()
                .map(mapping -> mapping.getPersistentEntity(aggregate.getClass()))
                .filter(mapped -> mapped != null)
                .findFirst()
                .orElseThrow();
        var accessor = entity.getPropertyAccessor(aggregate);
        accessor.setProperty(version(entity, type), token);
        return accessor.getBean();
    }

    @Override
    public Object onBeforeDelete(Object aggregate, MutableAggregateChange<Object> change) {
        FencedType.of(aggregate.getClass()).ifPresent(type -> check(aggregate, type, change.getPreviousVersion()));
        return aggregate;
    }

    private static long check(Object aggregate, FencedType type, @Nullable Number stored) {
        long token = type.token(aggregate);
        if (stored != null && stored.longValue() > token) {
            throw new OptimisticLockingFailureException(type.refusal(aggregate, token, stored.longValue()));
        }
        return token;
    }

    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE;
    }
}
