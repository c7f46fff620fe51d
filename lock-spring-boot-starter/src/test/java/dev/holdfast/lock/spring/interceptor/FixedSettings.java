package dev.holdfast.lock.spring.interceptor;

/** Settings for all locks, and for one of them. */
record FixedSettings(LockSettings defaults, String name, LockSettings settings) implements LockSettings.Source {

    @Override
    public LockSettings named(String declaredName) {
        return declaredName.equals(name) ? settings : LockSettings.NONE;
    }
}
