/** The application's lock client, which is opened and closed with its context. */
@NullMarked
package dev.holdfast.lock.spring.client;

import org.jspecify.annotations.NullMarked;
