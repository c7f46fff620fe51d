package dev.holdfast.lock.test.lua;

/** Thrown if a script cannot be read, or failed while it ran. */
public final class LuaException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public LuaException(String message) {
        super(message);
    }
}
