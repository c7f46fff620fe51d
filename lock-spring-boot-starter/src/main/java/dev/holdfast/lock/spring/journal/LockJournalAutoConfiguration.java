package dev.holdfast.lock.spring.journal;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.spring.LockJournal;
import java.util.Objects;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.util.function.SingletonSupplier;

/** Auto-configuration for the journal of lock events: {@code holdfast.journal-size}. */
@AutoConfiguration
@ConditionalOnProperty("holdfast.journal-size")
public final class LockJournalAutoConfiguration {

    @Bean
    @RegisterReflectionForBinding({LockJournal.Contents.class, LockJournal.ServerChange.class, LockJournal.Entry.class})
    InstanceJournal holdfastJournal(Environment environment, ObjectProvider<LockClient> client) {
        JournalProperties properties = Binder.get(environment)
                .bind("holdfast", JournalProperties.class)
                .get();
        int size = Objects.requireNonNull(properties.journalSize(), "the condition says that it is set");
        return new InstanceJournal(new EventRing(size), SingletonSupplier.of(client::getObject));
    }
}
