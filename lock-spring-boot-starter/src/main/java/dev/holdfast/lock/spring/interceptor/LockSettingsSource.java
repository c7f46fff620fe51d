package dev.holdfast.lock.spring.interceptor;

/** What the configuration says of locks. */
public interface LockSettingsSource {

    /**
     * For every lock.
     *
     * @return the settings
     */
    LockSettings defaults();

    /**
     * For one lock.
     *
     * @param declaredName the name that its annotation declares
     * @return the settings; {@link LockSettings#NONE} where the configuration does not name it
     */
    LockSettings named(String declaredName);
}
