package dev.holdfast.lock.spring.fencing;

import org.hibernate.LockMode;
import org.hibernate.engine.spi.CollectionEntry;
import org.hibernate.engine.spi.EntityEntry;
import org.hibernate.event.spi.AbstractCollectionEvent;
import org.hibernate.event.spi.EventSource;
import org.hibernate.event.spi.PreCollectionRecreateEvent;
import org.hibernate.event.spi.PreCollectionRecreateEventListener;
import org.hibernate.event.spi.PreCollectionRemoveEvent;
import org.hibernate.event.spi.PreCollectionRemoveEventListener;
import org.hibernate.event.spi.PreCollectionUpdateEvent;
import org.hibernate.event.spi.PreCollectionUpdateEventListener;
import org.hibernate.persister.collection.CollectionPersister;
import org.jspecify.annotations.Nullable;

/**
 * Refuses a stale holder's change of a collection that does not change its entity's version. No statement of such a change has the version, so the
 * entity's row is locked with it first. A versioned collection changes the entity, and an inverse one is written by its other side.
 */
final class FencedCollections
        implements PreCollectionUpdateEventListener,
                PreCollectionRemoveEventListener,
                PreCollectionRecreateEventListener {

    private static final long serialVersionUID = 1L;

    @Override
    public void onPreUpdateCollection(PreCollectionUpdateEvent event) {
        check(event, false);
    }

    @Override
    public void onPreRemoveCollection(PreCollectionRemoveEvent event) {
        check(event, false);
    }

    @Override
    public void onPreRecreateCollection(PreCollectionRecreateEvent event) {
        check(event, true);
    }

    @SuppressWarnings("deprecation") // Earlier versions of Hibernate 7 have no other method to lock a row.
    private static void check(AbstractCollectionEvent event, boolean mayBeNew) {
        EventSource session = event.getSession();
        Object entity = event.getAffectedOwnerOrNull();
        EntityEntry entry =
                entity == null ? null : session.getPersistenceContextInternal().getEntry(entity);
        FencedType type =
                entity == null ? null : FencedType.of(entity.getClass()).orElse(null);
        if (entry == null || type == null || !isWrittenWithoutVersion(session, event)) {
            return;
        }
        // A new row needs no lock, and has seen no token.
        if (mayBeNew
                && Long.valueOf(0).equals(entry.getVersion())
                && type.tokenForInsert(entity).isEmpty()) {
            return;
        }
        FencedWrites.check(session, entity, type, entry.getVersion());
        entry.getPersister().lock(entry.getId(), entry.getVersion(), entity, LockMode.PESSIMISTIC_WRITE, session);
    }

    private static boolean isWrittenWithoutVersion(EventSource session, AbstractCollectionEvent event) {
        CollectionEntry entry = session.getPersistenceContextInternal().getCollectionEntry(event.getCollection());
        @Nullable
        CollectionPersister persister = entry == null
                ? null
                : entry.getCurrentPersister() == null ? entry.getLoadedPersister() : entry.getCurrentPersister();
        return persister != null && !persister.isVersioned() && !persister.isInverse();
    }
}
