package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.spring.call.CallConfiguration;
import dev.holdfast.lock.spring.check.CheckConfiguration;
import dev.holdfast.lock.spring.declaration.DeclaredLocks;
import dev.holdfast.lock.spring.declaration.LockSettings;
import dev.holdfast.lock.spring.result.ResultConfiguration;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;

/**
 * Enables {@code @DistributedLock} with all features, given a {@link LockClient}. Uses beans of type {@link LockSettings.Source} and {@link
 * DeclaredLocks.Check} if there are any.
 */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
@Import({CallConfiguration.class, ResultConfiguration.class, CheckConfiguration.class, FeatureImports.class})
public class LockInterceptionConfiguration {}
