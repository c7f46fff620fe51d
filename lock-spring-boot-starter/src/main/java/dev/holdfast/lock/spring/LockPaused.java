package dev.holdfast.lock.spring;

/** An application event on the instance that was asked: the methods of a lock were paused on all instances. */
public record LockPaused(LockPause pause) {}
