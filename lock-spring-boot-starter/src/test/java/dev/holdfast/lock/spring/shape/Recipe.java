package dev.holdfast.lock.spring.shape;

import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The code of a call. In it, {@code JOB} stands for the class, {@code NAME} for the method, {@code SHAPE} for the shape, and {@code CALL(x)} for a call
 * of the method of x that returns its result.
 *
 * @param drive what the test does
 * @param entry what the object does, if it calls the method itself
 * @param name the name of the method
 * @param parameters its parameters; null if all kinds of parameters are possible
 * @param annotation of the method
 * @param type the interface that the class implements
 * @param superclass the class that the class extends
 * @param members further members of the class
 */
record Recipe(
        String drive,
        String entry,
        String name,
        @Nullable String parameters,
        String annotation,
        String type,
        String superclass,
        String members,
        Set<Result> results,
        Set<Visibility> visibilities) {

    static Recipe outside(String drive) {
        return of(
                drive,
                "",
                null,
                EnumSet.range(Result.VOID, Result.FLUX),
                EnumSet.range(Visibility.PUBLIC, Visibility.PACKAGE));
    }

    static Recipe inside(String entry) {
        return of(
                "return context.getBean(Seen.Entry.class).enter();",
                entry,
                null,
                EnumSet.range(Result.VOID, Result.FLUX),
                EnumSet.allOf(Visibility.class));
    }

    static Recipe spring() {
        return spring("return null;");
    }

    static Recipe spring(String drive) {
        return of(drive, "", "", EnumSet.of(Result.VOID), EnumSet.of(Visibility.PUBLIC));
    }

    private static Recipe of(
            String drive,
            String entry,
            @Nullable String parameters,
            Set<Result> results,
            Set<Visibility> visibilities) {
        return new Recipe(drive, entry, "work", parameters, "", "", "", "", results, visibilities);
    }

    Recipe drivenBy(String drive) {
        return new Recipe(drive, entry, name, parameters, annotation, type, superclass, members, results, visibilities);
    }

    Recipe parameters(String parameters) {
        return method(name, parameters);
    }

    Recipe method(String name, @Nullable String parameters) {
        return new Recipe(drive, entry, name, parameters, annotation, type, superclass, members, results, visibilities);
    }

    Recipe annotated(String annotation) {
        return new Recipe(drive, entry, name, parameters, annotation, type, superclass, members, results, visibilities);
    }

    Recipe in(String type) {
        return new Recipe(drive, entry, name, parameters, annotation, type, superclass, members, results, visibilities);
    }

    Recipe under(String superclass) {
        return new Recipe(drive, entry, name, parameters, annotation, type, superclass, members, results, visibilities);
    }

    Recipe members(String members) {
        return new Recipe(drive, entry, name, parameters, annotation, type, superclass, members, results, visibilities);
    }

    Recipe returns(Result first, Result... others) {
        Set<Result> results = EnumSet.of(first, others);
        return new Recipe(drive, entry, name, parameters, annotation, type, superclass, members, results, visibilities);
    }

    Recipe publicly() {
        return visible(EnumSet.of(Visibility.PUBLIC));
    }

    Recipe inherited() {
        return visible(EnumSet.range(Visibility.PUBLIC, Visibility.PROTECTED));
    }

    Recipe hidden() {
        return visible(EnumSet.range(Visibility.PUBLIC, Visibility.PACKAGE));
    }

    Recipe anyVisibility() {
        return visible(EnumSet.allOf(Visibility.class));
    }

    private Recipe visible(Set<Visibility> visibilities) {
        return new Recipe(drive, entry, name, parameters, annotation, type, superclass, members, results, visibilities);
    }
}
