package dev.holdfast.lock.spring.fencing;

import org.hibernate.StaleObjectStateException;
import org.hibernate.engine.spi.EntityEntry;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.event.spi.AbstractPreDatabaseOperationEvent;
import org.hibernate.event.spi.PreDeleteEvent;
import org.hibernate.event.spi.PreDeleteEventListener;
import org.hibernate.event.spi.PreUpdateEvent;
import org.hibernate.event.spi.PreUpdateEventListener;
import org.jspecify.annotations.Nullable;

/**
 * Refuses writes of fenced entities by a holder that read the row after a later holder had written it. A row that a later holder writes after it was
 * read is refused by the database. Deletes, and updates of attributes that do not change the version, make no version and are checked only here.
 */
final class FencedWrites implements PreUpdateEventListener, PreDeleteEventListener {

    private static final long serialVersionUID = 1L;

    @Override
    public boolean onPreUpdate(PreUpdateEvent event) {
        check(event);
        return false;
    }

    @Override
    public boolean onPreDelete(PreDeleteEvent event) {
        check(event);
        return false;
    }

    private static void check(AbstractPreDatabaseOperationEvent event) {
        Object entity = event.getEntity();
        FencedType.of(entity.getClass()).ifPresent(type -> {
            SharedSessionContractImplementor session = event.getSession();
            // A stateless session has no entry.
            EntityEntry entry = session.getPersistenceContextInternal().getEntry(entity);
            Object stored = entry == null ? event.getPersister().getVersion(entity) : entry.getVersion();
            check(session, entity, type, stored);
        });
    }

    /** Returns the holder's token, which may overwrite the stored one. */
    static long check(
            SharedSessionContractImplementor session, Object entity, FencedType type, @Nullable Object stored) {
        long token = type.token(entity);
        if (stored instanceof Long last && last > token) {
            throw new StaleObjectStateException(
                    session.bestGuessEntityName(entity),
                    session.getContextEntityIdentifier(entity),
                    type.refusal(entity, token, last));
        }
        return token;
    }
}
