package dev.holdfast.lock.spring.fencing;

import java.util.EnumSet;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.generator.BeforeExecutionGenerator;
import org.hibernate.generator.EventType;
import org.jspecify.annotations.Nullable;

/** Makes the next version of a fenced entity: the holder's token. Hibernate's statement checks that the stored version is the one that was read. */
final class TokenGenerator implements BeforeExecutionGenerator {

    private static final long serialVersionUID = 1L;

    @Override
    public Object generate(
            SharedSessionContractImplementor session, Object entity, @Nullable Object current, EventType event) {
        FencedType type = FencedType.of(entity.getClass()).orElseThrow();
        return event == EventType.INSERT
                ? type.tokenForInsert(entity).orElse(0)
                : FencedWrites.check(session, entity, type, current);
    }

    @Override
    public EnumSet<EventType> getEventTypes() {
        return EnumSet.of(EventType.INSERT, EventType.UPDATE);
    }
}
