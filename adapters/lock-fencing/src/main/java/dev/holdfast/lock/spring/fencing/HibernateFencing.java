package dev.holdfast.lock.spring.fencing;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Optional;
import org.hibernate.boot.Metadata;
import org.hibernate.boot.spi.BootstrapContext;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.event.service.spi.EventListenerRegistry;
import org.hibernate.event.spi.EventType;
import org.hibernate.integrator.spi.Integrator;
import org.hibernate.mapping.Component;
import org.hibernate.mapping.PersistentClass;
import org.hibernate.mapping.Property;
import org.springframework.util.ReflectionUtils;

/** Makes the versions of fenced entities fencing tokens. Hibernate finds it as a service, and calls it before it creates its model of the entities. */
public final class HibernateFencing implements Integrator {

    @Override
    public void integrate(Metadata metadata, BootstrapContext bootstrap, SessionFactoryImplementor factory) {
        boolean fenced = false;
        for (PersistentClass entity : metadata.getEntityBindings()) {
            if (entity.hasPojoRepresentation()) {
                entity.getPropertyClosure().forEach(HibernateFencing::checkIsNotEmbedded);
                Optional<FencedType> type = FencedType.of(entity.getMappedClass());
                type.ifPresent(declared -> fence(entity, declared));
                fenced |= type.isPresent();
            }
        }
        if (fenced) {
            EventListenerRegistry listeners = factory.getEventEngine().getListenerRegistry();
            FencedWrites writes = new FencedWrites();
            listeners.appendListeners(EventType.PRE_UPDATE, writes);
            listeners.appendListeners(EventType.PRE_DELETE, writes);
            FencedCollections collections = new FencedCollections();
            listeners.appendListeners(EventType.PRE_COLLECTION_UPDATE, collections);
            listeners.appendListeners(EventType.PRE_COLLECTION_REMOVE, collections);
            listeners.appendListeners(EventType.PRE_COLLECTION_RECREATE, collections);
        }
    }

    private static void fence(PersistentClass entity, FencedType type) {
        Field field = type.version();
        Property version = entity.getVersion();
        if (version == null || !version.getName().equals(field.getName())) {
            throw FencedType.invalid(
                    field,
                    "it is not the version of " + entity.getEntityName() + ", so no update would check it",
                    "Add @Version of jakarta.persistence, and take it from any other field");
        }
        if (Modifier.isFinal(field.getModifiers())) {
            throw FencedType.invalid(field, "a final field cannot take the next token", "Take 'final' away");
        }
        version.setValueGeneratorCreator(context -> new TokenGenerator());
    }

    private static void checkIsNotEmbedded(Property property) {
        if (property.getValue() instanceof Component embedded && !embedded.isDynamic()) {
            ReflectionUtils.doWithFields(
                    embedded.getComponentClass(),
                    field -> {
                        throw FencedType.invalid(
                                field, "it is in an embeddable, which has no version", "Move it to the entity");
                    },
                    field -> field.isAnnotationPresent(FencedBy.class));
            embedded.getProperties().forEach(HibernateFencing::checkIsNotEmbedded);
        }
    }
}
