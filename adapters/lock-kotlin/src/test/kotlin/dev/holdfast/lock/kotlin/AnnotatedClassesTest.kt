package dev.holdfast.lock.kotlin

import dev.holdfast.lock.spring.DistributedLock
import dev.holdfast.lock.spring.LockContext
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

/** Beans that are written in Kotlin, where classes and functions are final unless they say otherwise. */
class AnnotatedClassesTest {

    @Test
    fun openFunctionIsLockedAndItsKeySeesItsParameters() {
        application(Orders::class.java).use {
            assertThat(it.getBean(Orders::class.java).pay(Order(1, Customer(7)))).isEqualTo("order:7")
        }
    }

    @Test
    fun finalClassBehindAnInterfaceIsLocked() {
        application(FinalJob::class.java).use {
            assertThat(it.getBean(Job::class.java).run("7")).isEqualTo("job:7")
        }
    }

    @Test
    fun classThatIsNotOpenIsRefused() {
        assertRefused(FinalClass::class.java).hasMessageContainingAll("FinalClass.run()", "is final", "kotlin-spring")
    }

    @Test
    fun functionThatIsNotOpenIsRefused() {
        assertRefused(FinalFunction::class.java).hasMessageContainingAll("FinalFunction.run()", "final method", "kotlin-spring")
    }

    data class Customer(val id: Long)

    data class Order(val id: Long, val customer: Customer)

    open class Orders {
        @DistributedLock(name = "order", key = "#order.customer.id")
        open fun pay(order: Order): String = LockContext.current().lockName()
    }

    interface Job {
        fun run(id: String): String
    }

    class FinalJob : Job {
        @DistributedLock(name = "job", key = "#id")
        override fun run(id: String): String = LockContext.current().lockName()
    }

    class FinalClass {
        @DistributedLock(name = "final-class")
        fun run() {}
    }

    open class FinalFunction {
        @DistributedLock(name = "final-function")
        fun run() {}
    }
}
