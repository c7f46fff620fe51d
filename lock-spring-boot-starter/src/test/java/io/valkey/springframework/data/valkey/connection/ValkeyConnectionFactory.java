package io.valkey.springframework.data.valkey.connection;

/** Has the name of Spring Data Valkey's interface, by which the starter finds such a factory. */
public interface ValkeyConnectionFactory {}
