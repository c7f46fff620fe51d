package kotlin.coroutines;

/** Stands for Kotlin's own, by name: the compiler adds it as the last parameter of a suspending function. */
public interface Continuation<T> {}
