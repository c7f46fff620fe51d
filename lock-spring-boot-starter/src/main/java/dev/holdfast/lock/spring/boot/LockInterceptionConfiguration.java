package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.spring.call.CallConfiguration;
import dev.holdfast.lock.spring.check.CheckConfiguration;
import dev.holdfast.lock.spring.declaration.DeclaredLocks;
import dev.holdfast.lock.spring.declaration.LockSettings;
import dev.holdfast.lock.spring.job.JobConfiguration;
import dev.holdfast.lock.spring.observe.LockObservations;
import dev.holdfast.lock.spring.observe.ObserveConfiguration;
import dev.holdfast.lock.spring.pause.PauseConfiguration;
import dev.holdfast.lock.spring.result.ResultConfiguration;
import dev.holdfast.lock.spring.transaction.TransactionConfiguration;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;

/**
 * Enables {@code @DistributedLock}, given a {@link LockClient}. Uses beans of type {@link LockSettings.Source}, {@link LockObservations} and {@link
 * DeclaredLocks.Check} if there are any.
 */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
@Import({
    CallConfiguration.class,
    ResultConfiguration.class,
    TransactionConfiguration.class,
    ObserveConfiguration.class,
    PauseConfiguration.class,
    JobConfiguration.class,
    CheckConfiguration.class
})
public class LockInterceptionConfiguration {}
