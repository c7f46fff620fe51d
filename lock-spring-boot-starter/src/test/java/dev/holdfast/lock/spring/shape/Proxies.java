package dev.holdfast.lock.spring.shape;

/** The kind of proxy that the application prefers. */
enum Proxies {
    OF_CLASSES,
    OF_INTERFACES
}
