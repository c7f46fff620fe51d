package dev.holdfast.lock.kotlin

import dev.holdfast.lock.LockClient
import dev.holdfast.lock.redis.RedisLockClient
import dev.holdfast.lock.redis.RedisSource
import dev.holdfast.lock.spring.InvalidLockDeclarationException
import dev.holdfast.lock.spring.boot.LockInterceptionConfiguration
import dev.holdfast.lock.testing.RedisServer
import kotlinx.coroutines.delay
import kotlinx.coroutines.withTimeout
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.springframework.context.annotation.AnnotationConfigApplicationContext
import java.time.Duration
import java.util.function.Supplier

internal fun open(defaultWait: Duration = Duration.ofMillis(500)): LockClient =
    RedisLockClient.builder(RedisSource.of(RedisServer.shared().uri())).keyPrefix("kotlin:").defaultWait(defaultWait).build()

/** Closes its client. */
internal fun application(bean: Class<*>, client: LockClient = open()) = AnnotationConfigApplicationContext().apply {
    registerBean("locks", LockClient::class.java, Supplier { client })
    register(LockInterceptionConfiguration::class.java, bean)
    refresh()
}

internal fun assertRefused(bean: Class<*>) =
    assertThatThrownBy { application(bean).close() }.rootCause().isInstanceOf(InvalidLockDeclarationException::class.java)

internal suspend fun awaitUntil(what: () -> Boolean) = withTimeout(30_000) {
    while (!what()) {
        delay(5)
    }
}
