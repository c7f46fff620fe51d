package dev.holdfast.lock.spring.interceptor;

/** The same settings for every lock. */
record FixedSettings(LockSettings defaults, LockSettings named) implements LockSettingsSource {

    @Override
    public LockSettings named(String declaredName) {
        return named;
    }
}
