package dev.holdfast.lock.simulation;

/**
 * A fault that was put in.
 *
 * @param name what is wrong
 * @param file a script, such as {@code release.lua}, or a source, such as {@code internal/lease/Grant.java}
 * @param text what stands there once
 * @param replacement what stands there instead
 */
record Mutant(String name, String file, String text, String replacement) {

    boolean isScript() {
        return file.endsWith(".lua");
    }

    @Override
    public String toString() {
        return name + " (" + file + ")";
    }
}
