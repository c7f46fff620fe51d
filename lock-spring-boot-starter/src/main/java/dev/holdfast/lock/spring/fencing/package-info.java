/** Makes versions of entities fencing tokens, with Hibernate and with Spring Data JDBC. Each part is used only if its library is present. This package is a room. */
@org.jspecify.annotations.NullMarked
package dev.holdfast.lock.spring.fencing;
