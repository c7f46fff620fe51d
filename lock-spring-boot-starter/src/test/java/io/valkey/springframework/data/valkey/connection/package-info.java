@org.jspecify.annotations.NullMarked
package io.valkey.springframework.data.valkey.connection;
