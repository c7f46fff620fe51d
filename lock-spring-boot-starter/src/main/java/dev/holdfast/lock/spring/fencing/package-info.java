/**
 * Fences transactions with a table, and makes versions of entities fencing tokens, with Hibernate and with Spring Data JDBC. Guards writes to Redis.
 * Each part is used only if its library is present, and the fence table only if its property is set. This package is a room.
 */
@org.jspecify.annotations.NullMarked
package dev.holdfast.lock.spring.fencing;
